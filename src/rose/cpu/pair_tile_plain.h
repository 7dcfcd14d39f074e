#pragma once

#include "rose/cpu/pair_gemm_body.h"
#include "rose/cpu/vec_plain.h"

namespace rose::cpu {

/// What a tile of PairGemm must do, said plainly. For tests: it runs the product's body on any
/// processor, two panels at a time where there are few rows, as AMX's does.
class PlainPairTile {
 public:
  using V = Plain<16, 12>;
  static constexpr int64_t kRows = V::kTileRows;
  static constexpr int64_t kDepth = 2;
  /// Of few rows, so that a test's product has several such blocks.
  static constexpr int64_t kBlockBytes = int64_t{4} << 10;

  explicit PlainPairTile(const GemmArgs<BFloat16>& args) : args_(args) {}

  static int64_t NextRows(int64_t left) { return left < kRows ? left : kRows; }
  static int64_t Panels(int64_t rows) { return rows <= kRows / 2 ? 2 : 1; }

  template <typename Meanwhile>
  void Run(int64_t row, int64_t rows, const BFloat16* panel, int64_t panels, float* sums,
           const Meanwhile& meanwhile) const {
    const int64_t rows_each = kRows / panels;
    for (int64_t p = 0; p < panels; ++p) {
      for (int64_t i = 0; i < rows * kPairCols; ++i) {
        const int64_t r = i / kPairCols, column = i % kPairCols;
        const BFloat16* a = args_.a + (row + r) * args_.a_stride;
        const BFloat16* b = panel + p * args_.panel_stride + 2 * column;
        float sum = 0;
        for (int64_t k = 0; k < args_.k; ++k) {
          sum += a[k].ToFloat() * b[k / 2 * 2 * kPairCols + k % 2].ToFloat();
        }
        sums[(p * rows_each + r) * kPairCols + column] = sum;
      }
    }
    for (int64_t k = 0; k < args_.k; k += kDepth) meanwhile();
  }

  bool RunToOut(int64_t, int64_t, const BFloat16*, int64_t) const { return false; }

 private:
  const GemmArgs<BFloat16>& args_;
};

}  // namespace rose::cpu
