#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindNormedLinear(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kLinear, true, kWidePlans>(plan);
}

}  // namespace rose::kernels
