#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindGate(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kGate, SmallProductNorm::kNone, kWidePlans>(plan);
}

}  // namespace rose::kernels
