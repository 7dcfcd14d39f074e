#include "rose/kernels/small_product_args.h"

// In place of small_product_sm90.cc where nothing is built for compute capability 9.0.

namespace rose::kernels {

SmallProductKernel FindSmallProduct(SmallProductForm /*form*/, SmallProductNorm /*norm*/,
                                    const SmallProductPlan& /*plan*/) {
  return nullptr;
}

}  // namespace rose::kernels
