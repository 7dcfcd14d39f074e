#pragma once

#include <cstddef>
#include <cstdint>

#include "rose/core/bfloat16.h"
#include "rose/core/dtype.h"

namespace rose {

/// A view of a row-major matrix in a device's memory. Rows are contiguous: row r starts at
/// r × cols elements. Owns nothing; copies freely.
struct Tensor {
  void* data = nullptr;
  DType dtype = DType::kFloat32;
  int64_t rows = 0;
  int64_t cols = 0;

  int64_t elements() const { return rows * cols; }
  int64_t bytes() const { return elements() * static_cast<int64_t>(SizeOf(dtype)); }

  /// Rows first … first + count − 1; null where this is.
  Tensor Rows(int64_t first, int64_t count) const {
    Tensor part = *this;
    part.rows = count;
    if (data != nullptr) {
      part.data =
          static_cast<std::byte*>(data) + first * cols * static_cast<int64_t>(SizeOf(dtype));
    }
    return part;
  }

  /// The elements as float; the dtype must be kFloat32. Host memory only.
  float* f32() const;
  /// The elements as bfloat16; the dtype must be kBFloat16. Host memory only.
  BFloat16* bf16() const;
};

}  // namespace rose
