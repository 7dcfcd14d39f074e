#pragma once

#include <cstdint>

namespace rose::cpu {

/// A product's innermost piece: c[kRows × 2·kWidth] = a[kRows × k] b[k × 2·kWidth] + start, the
/// sums in registers for all of k. Each sum runs over k in order, so that a row's result does not
/// depend on the rows beside it.
struct TileArgs {
  const float* a = nullptr;
  int64_t a_stride = 0;      ///< From a row to the next.
  int64_t a_step = 1;        ///< From a column to the next.
  const float* b = nullptr;  ///< A panel: its rows lie one after the other.
  int64_t k = 0;
  float* c = nullptr;
  int64_t c_stride = 0;
  /// [2·kWidth], for every row; null: c's own values.
  const float* start = nullptr;
  /// The panel that will be wanted next: fetched into the second-level cache meanwhile.
  const float* ahead = nullptr;
};

template <typename V, int kRows>
void Tile(const TileArgs& args) {
  V sum[kRows][2];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    sum[r][0] = sum[r][1] = V::Set(0);
    __builtin_prefetch(args.c + r * args.c_stride, 1);  // Wanted at the end only.
  }
  const float* a = args.a;
  const float* b = args.b;
  const float* ahead = args.ahead;
  for (int64_t k = 0; k < args.k; ++k) {
    const V b0 = V::Load(b), b1 = V::Load(b + V::kWidth);
    __builtin_prefetch(ahead, 0, 2);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const V x = V::Set(a[r * args.a_stride]);
      sum[r][0] = V::MulAdd(x, b0, sum[r][0]);
      sum[r][1] = V::MulAdd(x, b1, sum[r][1]);
    }
    a += args.a_step;
    b += 2 * V::kWidth;
    ahead += 2 * V::kWidth;
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    float* c = args.c + r * args.c_stride;
    const float* start = args.start != nullptr ? args.start : c;
    (sum[r][0] + V::Load(start)).Store(c);
    (sum[r][1] + V::Load(start + V::kWidth)).Store(c + V::kWidth);
  }
}

/// Tile for 1 ≤ rows ≤ V::kTileRows.
template <typename V, int kRows = V::kTileRows>
void TileOfRows(int64_t rows, const TileArgs& args) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return TileOfRows<V, kRows - 1>(rows, args);
  }
  Tile<V, kRows>(args);
}

/// How many of `left` rows the next tile takes: all tiles are full but the last two, which share
/// what is left evenly, since a tile of few rows cannot hide the latency of its sums.
template <typename V>
int64_t NextTileRows(int64_t left) {
  constexpr int64_t kFull = V::kTileRows;
  if (left <= kFull) return left;
  if (left >= 2 * kFull) return kFull;
  return (left + 1) / 2;
}

}  // namespace rose::cpu
