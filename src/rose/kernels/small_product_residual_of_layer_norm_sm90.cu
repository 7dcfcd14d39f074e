#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindResidualOfLayerNorm(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kResidual, SmallProductNorm::kLayer, kNarrowPlans>(plan);
}

}  // namespace rose::kernels
