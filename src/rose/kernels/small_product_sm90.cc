#include "rose/kernels/small_product_args.h"

namespace rose::kernels {

SmallProductKernel FindSmallProduct(SmallProductForm form, bool normed,
                                    const SmallProductPlan& plan) {
  switch (form) {
    case SmallProductForm::kLinear:
      return normed ? FindNormedLinear(plan) : FindLinear(plan);
    case SmallProductForm::kGate:
      return normed ? FindNormedGate(plan) : FindGate(plan);
    case SmallProductForm::kResidual:
      return normed ? nullptr : FindResidual(plan);
  }
  return nullptr;
}

}  // namespace rose::kernels
