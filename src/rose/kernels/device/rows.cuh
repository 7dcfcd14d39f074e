#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <initializer_list>

#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// The rows of a launch; `used` of them, which the device knows, are no padding.
struct RowCount {
  int rows;
  const int32_t* used;  ///< Null: all.

  __device__ __forceinline__ int Used() const { return used == nullptr ? rows : *used; }
};

inline RowCount CountRows(const Launch& launch, const Tensor& x) {
  return {static_cast<int>(x.rows), launch.rows_used};
}

/// How many elements one access may move, 16 bytes at most: whole vectors fill each row of `cols`,
/// and every row of each tensor begins at one.
inline int VectorWidth(DType dtype, int64_t cols, std::initializer_list<const void*> tensors) {
  const auto bytes = static_cast<int>(SizeOf(dtype));
  for (const int width : {16 / bytes, 2}) {
    bool fits = cols % width == 0;
    for (const void* data : tensors) {
      fits = fits && reinterpret_cast<uintptr_t>(data) % (width * bytes) == 0;
    }
    if (fits) return width;
  }
  return 1;
}

/// body.operator()<T, kWidth>() of the element type and the width that VectorWidth gave.
template <typename Body>
cudaError_t WithVectors(DType dtype, int width, const Body& body) {
  if (dtype == DType::kBFloat16) {
    if (width == 8) return body.template operator()<__nv_bfloat16, 8>();
    if (width == 2) return body.template operator()<__nv_bfloat16, 2>();
    return body.template operator()<__nv_bfloat16, 1>();
  }
  if (dtype != DType::kFloat32) return cudaErrorInvalidValue;
  if (width == 4) return body.template operator()<float, 4>();
  if (width == 2) return body.template operator()<float, 2>();
  return body.template operator()<float, 1>();
}

/// body.operator()<T>() of the element type.
template <typename Body>
cudaError_t WithElements(DType dtype, const Body& body) {
  if (dtype == DType::kBFloat16) return body.template operator()<__nv_bfloat16>();
  if (dtype == DType::kFloat32) return body.template operator()<float>();
  return cudaErrorInvalidValue;
}

template <typename T>
T* Elements(const Tensor& tensor) {
  return static_cast<T*>(tensor.data);
}

}  // namespace rose::kernels
