#include "rose/kernels/tile_product_kernel.cuh"

namespace rose::kernels {

TileProductEntry FindTileGate(Activation activation, const TileProductPlan& plan) {
  switch (activation) {
    case Activation::kGelu:
      return FindTileKernel<true, ActivationOf<Activation::kGelu>>(plan);
    case Activation::kGeluTanh:
      return FindTileKernel<true, ActivationOf<Activation::kGeluTanh>>(plan);
    case Activation::kSilu:
      return FindTileKernel<true, ActivationOf<Activation::kSilu>>(plan);
    default:
      return {};
  }
}

}  // namespace rose::kernels
