#include "rose/core/tensor.h"

#include "common/check.h"

namespace rose {

float* Tensor::f32() const {
  DCHECK(dtype == DType::kFloat32) << "is " << DTypeName(dtype);
  return static_cast<float*>(data);
}

BFloat16* Tensor::bf16() const {
  DCHECK(dtype == DType::kBFloat16) << "is " << DTypeName(dtype);
  return static_cast<BFloat16*>(data);
}

}  // namespace rose
