#include "rose/kernels/small_product_kernel.cuh"

namespace rose::kernels {

SmallProductKernel FindGateOfLayerNorm(const SmallProductPlan& plan) {
  return FindAmong<SmallProductForm::kGate, SmallProductNorm::kLayer, kWidePlans>(plan);
}

}  // namespace rose::kernels
