#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindResidual(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kResidual, SmallProductNorm::kNone, kNarrowPlans>(plan);
}

}  // namespace rose::kernels
