#pragma once

#include <cstdint>
#include <span>

#include "rose/core/dtype.h"
#include "rose/core/row_source.h"
#include "rose/core/tensor.h"

namespace rose {

/// A weight matrix with its bias in whatever layout the backend multiplies fastest. Made by
/// Backend::MakeLinear and owned by the backend; layers hold pointers.
struct LinearWeight {
  int64_t in_features = 0;
  int64_t out_features = 0;
  /// Of the matrix, and of the activations that go in and come out.
  DType dtype = DType::kFloat32;
  virtual ~LinearWeight() = default;

 protected:
  LinearWeight() = default;
};

/// The weights of one model on one device, in the device's layouts and dtype. Used by one thread
/// while loading; immutable afterwards. What it returns lives as long as it does. Matrices are read
/// from the host block by block: beside its own copy a backend holds a few MiB at a time. Values
/// that the dtype can hold survive exactly.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Of activations and of matrix weights: kFloat32 or kBFloat16.
  virtual DType dtype() const = 0;
  /// A matrix as it is, to look rows up in. `dtype` is dtype() or kFloat32.
  virtual Tensor MakeTable(const RowSource& rows, DType dtype) = 0;
  /// y = x Wᵀ + b with W [out_features × in_features] as checkpoints store it; `bias`
  /// [out_features] or empty. `dtype` is dtype() or, for heads whose numbers count, kFloat32.
  virtual const LinearWeight* MakeLinear(const RowSource& weight, std::span<const float> bias,
                                         DType dtype) = 0;
  /// Bytes held so far.
  virtual int64_t memory_bytes() const = 0;

  /// A float32 vector [1 × n]: norm weights and biases.
  Tensor MakeVector(std::span<const float> values) {
    return MakeTable(MemoryRows(values, 1, static_cast<int64_t>(values.size())), DType::kFloat32);
  }

  // The same from values in memory, in dtype().
  Tensor MakeTable(std::span<const float> values, int64_t rows, int64_t cols) {
    return MakeTable(MemoryRows(values, rows, cols), dtype());
  }
  const LinearWeight* MakeLinear(std::span<const float> weight, std::span<const float> bias,
                                 int64_t out_features, int64_t in_features) {
    return MakeLinear(MemoryRows(weight, out_features, in_features), bias, dtype());
  }
};

}  // namespace rose
