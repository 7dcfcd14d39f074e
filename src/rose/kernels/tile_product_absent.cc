#include "rose/kernels/tile_product_args.h"

// In place of tile_product_sm90.cc where nothing is built for compute capability 9.0.

namespace rose::kernels {

TileProductEntry FindTileProduct(TileProductForm /*form*/, std::optional<Activation> /*activation*/,
                                 const TileProductPlan& /*plan*/) {
  return {};
}

}  // namespace rose::kernels
