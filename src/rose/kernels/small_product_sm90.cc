#include "rose/kernels/small_product_args.h"

namespace rose::kernels {
namespace {

using Find = SmallProductKernel (*)(const SmallProductPlan& plan);

/// [SmallProductForm][SmallProductNorm]
constexpr Find kFinds[3][3] = {{FindLinear, FindLinearOfRmsNorm, FindLinearOfLayerNorm},
                               {FindGate, FindGateOfRmsNorm, FindGateOfLayerNorm},
                               {FindResidual, nullptr, FindResidualOfLayerNorm}};

}  // namespace

SmallProductKernel FindSmallProduct(SmallProductForm form, SmallProductNorm norm,
                                    const SmallProductPlan& plan) {
  const Find find = kFinds[static_cast<int>(form)][static_cast<int>(norm)];
  return find == nullptr ? nullptr : find(plan);
}

}  // namespace rose::kernels
