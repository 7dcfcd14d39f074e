#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindGate(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kGate, false, kWidePlans>(plan);
}

}  // namespace rose::kernels
