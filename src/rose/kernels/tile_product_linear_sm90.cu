#include "rose/kernels/tile_product_kernel.cuh"

namespace rose::kernels {

TileProductEntry FindTileLinear(std::optional<Activation> activation, const TileProductPlan& plan) {
  if (!activation) return FindTileKernel<false, NoActivation>(plan);
  switch (*activation) {
    case Activation::kGelu:
      return FindTileKernel<false, ActivationOf<Activation::kGelu>>(plan);
    case Activation::kGeluTanh:
      return FindTileKernel<false, ActivationOf<Activation::kGeluTanh>>(plan);
    default:
      return {};
  }
}

}  // namespace rose::kernels
