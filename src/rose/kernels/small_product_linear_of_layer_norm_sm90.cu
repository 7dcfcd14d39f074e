#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindLinearOfLayerNorm(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kLinear, SmallProductNorm::kLayer, kWidePlans>(plan);
}

}  // namespace rose::kernels
