#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindLinear(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kLinear, SmallProductNorm::kNone, kWidePlans>(plan);
}

}  // namespace rose::kernels
