#include <cstdint>

#include "rose/kernels/tile_product.h"
#include "rose/kernels/tile_product_args.h"
#include "rose/kernels/tile_product_plans.h"

namespace rose::kernels {
namespace {

/// Fewer tokens are for the products of few (small_product.h).
constexpr int64_t kTokensMin = 129;
/// More tokens' plain products are the library's.
constexpr int64_t kPlainTokensMax = 2048;
/// Of an H100 and an H200; where there are others, the rule is only less exact.
constexpr int64_t kMultiprocessors = 132;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The tiles of a product with so many columns each, one a multiprocessor at a time.
struct Waves {
  int64_t tiles, count;

  Waves(const TileProductShape& shape, int64_t cols)
      : tiles(DivideUp(shape.tokens, kTileRows) * DivideUp(shape.out_features, cols)),
        count(DivideUp(tiles, kMultiprocessors)) {}

  /// Of the multiprocessors' time, in percent.
  int64_t Busy() const { return 100 * tiles / (count * kMultiprocessors); }
};

/// The percentage that must be busy for ours to be better than the library's.
int64_t BusyMin(const TileProductShape& shape, const Waves& waves) {
  if (waves.count > 1) return 75;
  return shape.activation ? 25 : 50;
}

}  // namespace

bool FitsTileProduct(const TileProductShape& shape) {
  constexpr int64_t kRowsMax = int64_t{1} << 30;
  const bool gated = shape.form == TileProductForm::kGate;
  if (shape.tokens > kRowsMax || shape.out_features > kRowsMax) return false;
  if (shape.out_features % (gated ? 16 : 8) != 0 || shape.in_features % 8 != 0) return false;
  if (shape.out_features == 0 || shape.in_features == 0) return false;
  if (!shape.activation) return !gated;
  return shape.activation == Activation::kGelu || shape.activation == Activation::kGeluTanh ||
         (gated && shape.activation == Activation::kSilu);
}

std::span<const TileProductPlan> TileProductPlans() { return kTilePlans; }

std::optional<TileProductPlan> ChooseTileProduct(const TileProductShape& shape) {
  if (!FitsTileProduct(shape) || shape.tokens < kTokensMin) return std::nullopt;
  if (!shape.activation && shape.tokens > kPlainTokensMax) return std::nullopt;
  const Waves narrow(shape, 128), wide(shape, 192);
  // A single wave takes as long as a tile; of more, narrow ones pay 3 % for the traffic of theirs.
  const bool narrow_is_faster =
      narrow.count == 1 || (wide.count > 1 && narrow.count * 128 * 103 < wide.count * 192 * 100);
  const Waves& waves = narrow_is_faster ? narrow : wide;
  if (waves.Busy() < BusyMin(shape, waves)) return std::nullopt;
  return TileProductPlan{.cols = narrow_is_faster ? 128 : 192, .ping_pong = waves.count > 1};
}

}  // namespace rose::kernels
