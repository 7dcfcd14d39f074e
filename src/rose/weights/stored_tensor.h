#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rose/core/dtype.h"

namespace rose {

/// A tensor as a weight file describes it: row-major, little-endian.
struct StoredTensor {
  std::string name;
  std::string dtype;  ///< As safetensors calls it: "F32", "BF16", "I64", …
  std::vector<int64_t> shape = {};
  std::span<const std::byte> bytes = {};  ///< In the file, at any alignment; or in `copy`.
  /// Keeps bytes that had to be put in order; null: they lie in the file as they are.
  std::shared_ptr<const void> copy = nullptr;

  /// Its type, where models compute from it; nothing for integers, F64, ….
  std::optional<DType> float_type() const {
    if (dtype == "F32") return DType::kFloat32;
    if (dtype == "F16") return DType::kFloat16;
    if (dtype == "BF16") return DType::kBFloat16;
    return std::nullopt;
  }
  int64_t elements() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  }
};

}  // namespace rose
