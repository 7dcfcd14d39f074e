#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindNormedGate(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kGate, true, kWidePlans>(plan);
}

}  // namespace rose::kernels
