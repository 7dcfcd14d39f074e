#pragma once

#include <cstdint>

#include "rose/core/tensor.h"

namespace rose {

/// Element `index` (row-major) of a host tensor of dtype kFloat32 or kBFloat16, as float. One
/// branch an element: for tests and for what runs once, not for kernels.
inline float GetElement(const Tensor& tensor, int64_t index) {
  return tensor.dtype == DType::kBFloat16 ? tensor.bf16()[index].ToFloat() : tensor.f32()[index];
}

/// Stores `value`, rounded to nearest even where the tensor is kBFloat16.
inline void SetElement(const Tensor& tensor, int64_t index, float value) {
  if (tensor.dtype == DType::kBFloat16) {
    tensor.bf16()[index] = BFloat16::FromFloat(value);
  } else {
    tensor.f32()[index] = value;
  }
}

}  // namespace rose
