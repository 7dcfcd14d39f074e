#pragma once

#include <array>

#include "rose/kernels/tile_product.h"

namespace rose::kernels {

/// The plans that kernels are compiled for.
inline constexpr std::array<TileProductPlan, 4> kTilePlans = {
    {{128, false}, {192, false}, {128, true}, {192, true}}};

}  // namespace rose::kernels
