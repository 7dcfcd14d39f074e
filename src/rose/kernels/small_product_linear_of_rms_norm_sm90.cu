#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindLinearOfRmsNorm(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kLinear, SmallProductNorm::kRms, kWidePlans>(plan);
}

}  // namespace rose::kernels
