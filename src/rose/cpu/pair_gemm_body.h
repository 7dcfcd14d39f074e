#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/math_body.h"
#include "rose/cpu/pair_finish.h"

namespace rose::cpu {

/// Brings the panels that come next into the second-level cache while tiles of these are summed:
/// where their weights are in the third level or in memory, that takes as long as the sums.
template <typename V>
class PanelsAhead {
 public:
  /// Of `count` panels from `next` on a share with each of `steps` calls of Fetch.
  PanelsAhead(const BFloat16* next, int64_t count, int64_t stride, int64_t steps)
      : next_(next), lines_((count * stride + kLine * steps - 1) / (kLine * steps)) {}

  void Fetch() {
    for (int64_t i = 0; i < lines_; ++i, next_ += kLine) __builtin_prefetch(next_, 0, 2);
  }

 private:
  static constexpr int64_t kLine = 64 / sizeof(BFloat16);
  const BFloat16* next_;
  int64_t lines_;  ///< Of each step.
};

/// A product of bfloat16, pairs of whose terms are multiplied and added to float32 sums by one
/// instruction. All of k passes before a tile leaves the registers, so that nothing is rounded in
/// between. A Tile is made once for each call:
///   static constexpr int64_t kRows;            of a tile, at most
///   static constexpr int64_t kDepth;           terms of one step
///   static constexpr int64_t kBlockBytes;      of A's rows that the second-level cache keeps
///   static int64_t NextRows(int64_t left);     of which the next tile takes so many
///   static int64_t Panels(int64_t rows);       that it takes at once where there are so few rows
///   explicit Tile(const GemmArgs<BFloat16>&);
///   /// Sums of `panels` panels from `panel` on, one [kRows ÷ panels × kPairCols] after the other.
///   /// May call meanwhile() with each step, where its instructions leave time for others.
///   void Run(int64_t row, int64_t rows, const BFloat16* panel, int64_t panels, float* sums,
///            const Meanwhile& meanwhile);
///   /// Or all of it, to out, where it has a way of its own to do so; false: it has none.
///   bool RunToOut(int64_t row, int64_t rows, const BFloat16* panel, int64_t column);
template <typename V, typename Tile>
void PairGemm(const GemmArgs<BFloat16>& args) {
  const int64_t panels = (args.cols + kPairCols - 1) / kPairCols;
  int64_t block = Tile::kBlockBytes / (2 * args.k) / Tile::kRows * Tile::kRows;
  if (block < Tile::kRows) block = Tile::kRows;
  Tile tile(args);
  // Of the tile that is summed and of the one before, which is finished meanwhile.
  alignas(64) float sums[2][Tile::kRows * kPairCols];
  const int64_t steps = (args.k + Tile::kDepth - 1) / Tile::kDepth;
  const int64_t finish_rows = (Tile::kRows + steps - 1) / steps;
  const auto run = [&](auto function) {
    PairFinish<V, decltype(function)> finish(args, function);
    int turn = 0;
    for (int64_t begin = 0; begin < args.rows; begin += block) {
      const int64_t end = begin + block < args.rows ? begin + block : args.rows;
      const int64_t most = Tile::Panels(end - begin);
      const int64_t tiles = (end - begin + Tile::kRows - 1) / Tile::kRows;
      for (int64_t panel = 0; panel < panels; panel += most) {
        const int64_t left = panels - panel, count = left < most ? left : most;
        const BFloat16* columns = args.panels + panel * args.panel_stride;
        // With few tiles fetching would take longer than their sums.
        int64_t panels_ahead = left - count < most ? left - count : most;
        if (tiles < 4) panels_ahead = 0;
        PanelsAhead<V> ahead(columns + count * args.panel_stride, panels_ahead, args.panel_stride,
                             tiles * steps);
        for (int64_t row = begin; row < end;) {
          const int64_t rows = Tile::NextRows(end - row);
          if (!tile.RunToOut(row, rows, columns, panel * kPairCols)) {
            tile.Run(row, rows, columns, count, sums[turn], [&] {
              ahead.Fetch();
              finish.Rows(finish_rows);
            });
            finish.Rest();
            finish.Start(row, rows, panel * kPairCols, count, sums[turn],
                         Tile::kRows / most * kPairCols);
            turn ^= 1;
          }
          row += rows;
        }
      }
    }
    finish.Rest();
  };
  if (args.activation == nullptr) return run([](V x) { return x; });
  WithRoughActivation<V>(*args.activation, run);
}

}  // namespace rose::cpu
