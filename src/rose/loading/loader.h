#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "rose/core/backend.h"
#include "rose/layers/linear.h"
#include "rose/layers/norm.h"
#include "rose/weights/weights.h"

namespace rose {

/// Takes tensors out of a checkpoint and lays them out on a device: the one conversion step that
/// every family shares. Names are the checkpoint's own, so that an error reads as its index does.
/// The first error sticks: from then on every call gives an empty value, and Finish returns it; so
/// a family binds its weights one after the other and asks once. Lives while a model loads.
class Loader {
 public:
  /// Both outlive the loader; the device's copies live in `backend`.
  Loader(Weights& weights, Backend& backend) : weights_(weights), backend_(backend) {}

  bool ok() const { return status_.ok(); }
  Weights& weights() { return weights_; }  ///< For AcceptPrefixes, Has and Skip.

  /// An embedding table [rows × cols].
  Tensor Table(std::string_view name, int64_t rows, int64_t cols);
  /// `name`.weight and `name`.bias, [size] each.
  Norm LayerNorm(std::string_view name, int64_t size, float epsilon);
  /// `name`.weight [out_features × in_features] and `name`.bias.
  Linear Dense(std::string_view name, int64_t out_features, int64_t in_features);
  /// Several such layers over the same input, [out_features × in_features] each, as one product:
  /// its output holds theirs side by side, in the order of `names`.
  Linear FusedDense(const std::vector<std::string>& names, int64_t out_features,
                    int64_t in_features);

  /// The first error, else that of the tensors which nobody read or skipped.
  absl::Status Finish() const;

 private:
  /// Appends the tensor's elements to `values`, as float32.
  void Append(std::string_view name, std::initializer_list<int64_t> shape,
              std::vector<float>& values);

  Weights& weights_;
  Backend& backend_;
  absl::Status status_;
};

}  // namespace rose
