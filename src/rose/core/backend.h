#pragma once

#include <cstdint>
#include <span>

#include "rose/core/dtype.h"
#include "rose/core/tensor.h"

namespace rose {

/// A weight matrix with its bias in whatever layout the backend multiplies fastest. Made by
/// Backend::MakeLinear and owned by the backend; layers hold pointers.
struct LinearWeight {
  int64_t in_features = 0;
  int64_t out_features = 0;
  virtual ~LinearWeight() = default;

 protected:
  LinearWeight() = default;
};

/// The weights of one model on one device, in the device's layouts and dtype. Used by one thread
/// while loading; immutable afterwards. What it returns lives as long as it does. Values arrive as
/// float32 on the host (a bfloat16 checkpoint survives the round trip exactly).
class Backend {
 public:
  virtual ~Backend() = default;

  /// Of activations and of matrix weights: kFloat32 or kBFloat16.
  virtual DType dtype() const = 0;
  /// An embedding table [rows × cols] in dtype().
  virtual Tensor MakeTable(std::span<const float> values, int64_t rows, int64_t cols) = 0;
  /// A float32 vector [1 × n]: norm weights and biases.
  virtual Tensor MakeVector(std::span<const float> values) = 0;
  /// y = x Wᵀ + b with W [out_features × in_features] as checkpoints store it; `bias` may be empty.
  virtual const LinearWeight* MakeLinear(std::span<const float> weight, std::span<const float> bias,
                                         int64_t out_features, int64_t in_features) = 0;
  /// Bytes held so far.
  virtual int64_t memory_bytes() const = 0;
};

}  // namespace rose
