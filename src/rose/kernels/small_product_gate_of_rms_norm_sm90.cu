#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindGateOfRmsNorm(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kGate, SmallProductNorm::kRms, kWidePlans>(plan);
}

}  // namespace rose::kernels
