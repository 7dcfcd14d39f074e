#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/math_body.h"
#include "rose/cpu/row_body.h"

namespace rose::cpu {

/// Columns of a panel of bfloat16 pairs.
inline constexpr int64_t kPairCols = 32;
/// Of the rows of A that stay in the second-level cache while the panels pass by.
inline constexpr int64_t kPairBlockBytes = int64_t{384} << 10;

/// A tile's sums to out: bias, activation, rounding.
template <typename V, typename Function>
void FinishPairTile(const GemmArgs<BFloat16>& args, int64_t row, int64_t rows, int64_t column,
                    const float* sums, const Function& function) {
  const int64_t cols = args.cols - column < kPairCols ? args.cols - column : kPairCols;
  const int64_t stride = args.out_stride;
  BFloat16* out = args.out + row * stride + column;
  for (int64_t c = 0; c < cols; c += V::kWidth) {
    const V bias = V::Load(args.bias + column + c);
    for (int64_t r = 0; r < rows; ++r) {
      const V sum = V::Load(sums + r * kPairCols + c) + bias;
      StoreUpTo(function(sum), cols - c, out + r * stride + c);
    }
  }
}

/// A product of bfloat16, pairs of whose terms are multiplied and added to float32 sums by one
/// instruction. All of k passes before a tile leaves the registers, so that nothing is rounded in
/// between. A Tile is made once for each call:
///   static constexpr int64_t kRows;            of a tile, at most
///   static int64_t NextRows(int64_t left);     of which the next tile takes so many
///   static int64_t Panels(int64_t rows);       that it takes at once where there are so few rows
///   explicit Tile(const GemmArgs<BFloat16>&);
///   /// Sums of `panels` panels from `panel` on, one [kRows ÷ panels × kPairCols] after the other.
///   void Run(int64_t row, int64_t rows, const BFloat16* panel, int64_t panels, float* sums);
///   /// Or all of it, to out, where it has a way of its own to do so; false: it has none.
///   bool Finish(int64_t row, int64_t rows, const BFloat16* panel, int64_t column);
template <typename V, typename Tile>
void PairGemm(const GemmArgs<BFloat16>& args) {
  const int64_t panels = (args.cols + kPairCols - 1) / kPairCols;
  int64_t block = kPairBlockBytes / (2 * args.k) / Tile::kRows * Tile::kRows;
  if (block < Tile::kRows) block = Tile::kRows;
  Tile tile(args);
  alignas(64) float sums[Tile::kRows * kPairCols];
  const auto run = [&](auto function) {
    for (int64_t begin = 0; begin < args.rows; begin += block) {
      const int64_t end = begin + block < args.rows ? begin + block : args.rows;
      const int64_t most = Tile::Panels(end - begin);
      for (int64_t panel = 0; panel < panels; panel += most) {
        const int64_t count = panels - panel < most ? panels - panel : most;
        for (int64_t row = begin; row < end;) {
          const int64_t rows = Tile::NextRows(end - row);
          const BFloat16* columns = args.panels + panel * args.panel_stride;
          const bool finished = tile.Finish(row, rows, columns, panel * kPairCols);
          if (!finished) tile.Run(row, rows, columns, count, sums);
          for (int64_t i = 0; i < count && !finished; ++i) {
            FinishPairTile<V>(args, row, rows, (panel + i) * kPairCols,
                              sums + i * Tile::kRows / most * kPairCols, function);
          }
          row += rows;
        }
      }
    }
  };
  if (args.activation == nullptr) return run([](V x) { return x; });
  WithRoughActivation<V>(*args.activation, run);
}

}  // namespace rose::cpu
