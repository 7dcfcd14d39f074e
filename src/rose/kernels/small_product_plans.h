#pragma once

#include <array>
#include <cstddef>

#include "rose/kernels/small_product_layout.h"

// The plans that kernels are compiled for.

namespace rose::kernels {

struct SmallProductTile {
  int rows, split;
};

/// Depths are those that fit the registers of two blocks on a multiprocessor. A block of one
/// warpgroup keeps two stages' operands for products in flight, so its depth is even; where two
/// share the tensor cores, one keeps them busy while the other waits for its own.
template <std::size_t kTiles>
constexpr std::array<SmallProductPlan, 4 * kTiles> WithDepths(
    const std::array<SmallProductTile, kTiles>& tiles) {
  std::array<SmallProductPlan, 4 * kTiles> plans = {};
  std::size_t at = 0;
  for (const auto [rows, split] : tiles) {
    for (const int depth : {4, 6, 8}) plans[at++] = {1, rows, split, depth};
    plans[at++] = {2, rows, split, 3};
  }
  return plans;
}

/// For products into more columns than a model's width: kLinear and kGate.
inline constexpr auto kWidePlans =
    WithDepths(std::array<SmallProductTile, 3>{{{64, 2}, {64, 4}, {32, 2}}});
/// For those back into the model's width: kResidual. They have few panels, so more blocks share the
/// columns.
inline constexpr auto kNarrowPlans =
    WithDepths(std::array<SmallProductTile, 5>{{{64, 8}, {64, 4}, {32, 8}, {32, 4}, {32, 2}}});

}  // namespace rose::kernels
