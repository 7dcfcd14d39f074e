#include "rose/kernels/tile_product_args.h"

namespace rose::kernels {

TileProductEntry FindTileProduct(TileProductForm form, std::optional<Activation> activation,
                                 const TileProductPlan& plan) {
  if (form == TileProductForm::kLinear) return FindTileLinear(activation, plan);
  return activation ? FindTileGate(*activation, plan) : TileProductEntry{};
}

}  // namespace rose::kernels
