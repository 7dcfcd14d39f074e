#pragma once

#include <cstddef>
#include <cstdint>

#include "rose/core/dtype.h"

namespace rose::cuda {

/// What is added to a product before it is rounded.
struct ProductTerms {
  bool bias = false;      ///< The weight's own.
  bool previous = false;  ///< What stands in `out`.

  friend bool operator==(const ProductTerms& a, const ProductTerms& b) = default;
};

/// All that the speed of out = x Wᵀ + terms depends on.
struct ProductShape {
  int64_t rows = 0;
  int64_t out_features = 0;
  int64_t in_features = 0;
  DType dtype = DType::kFloat32;
  ProductTerms terms = {};
  uint32_t alignment = 0;  ///< Of every pointer, in bytes.

  friend bool operator==(const ProductShape& a, const ProductShape& b) = default;
};

struct ProductShapeHash {
  std::size_t operator()(const ProductShape& shape) const {
    std::size_t hash = shape.alignment;
    for (const int64_t value :
         {shape.rows, shape.out_features, shape.in_features, static_cast<int64_t>(shape.dtype),
          int64_t{shape.terms.bias}, int64_t{shape.terms.previous}}) {
      hash = (hash ^ static_cast<std::size_t>(value)) * 0x9E3779B97F4A7C15u;  // 2⁶⁴ / golden ratio
    }
    return hash;
  }
};

}  // namespace rose::cuda
