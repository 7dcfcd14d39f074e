#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/row_body.h"

namespace rose::cpu {

/// Columns of a panel of bfloat16 pairs.
inline constexpr int64_t kPairCols = 32;

/// The sums of a tile of a product on their way to out: bias, activation, rounding. It goes row by
/// row, a few at a time, so that the next tile's sums can be made in between, and so that a line of
/// out is written at once.
template <typename V, typename Function>
class PairFinish {
 public:
  PairFinish(const GemmArgs<BFloat16>& args, const Function& function)
      : args_(args), function_(function) {}

  /// Takes on `rows` rows from `row` on of `panels` panels from column `column` on. `sums` holds
  /// one panel's after the other's, `panel_sums` apart, and stays as it is until Rest. What was
  /// taken on before is done.
  void Start(int64_t row, int64_t rows, int64_t column, int64_t panels, const float* sums,
             int64_t panel_sums) {
    first_row_ = row_ = row;
    end_row_ = row + rows;
    column_ = column;
    panels_ = panels;
    sums_ = sums;
    next_sums_ = sums + panel_sums;
    FetchLines();
  }

  /// Finishes so many rows of a panel, or what is left.
  void Rows(int64_t count) {
    for (; count > 0 && panels_ > 0; --count) {
      FinishRow();
      sums_ += kPairCols;
      if (++row_ == end_row_) NextPanel();
    }
  }

  void Rest() {
    while (panels_ > 0) Rows(end_row_ - row_);
  }

 private:
  BFloat16* Out(int64_t row) const { return args_.out + row * args_.out_stride + column_; }

  void FinishRow() const {
    const int64_t cols = args_.cols - column_ < kPairCols ? args_.cols - column_ : kPairCols;
    BFloat16* out = Out(row_);
    for (int64_t c = 0; c < cols; c += V::kWidth) {
      const V sum = V::Load(sums_ + c) + V::Load(args_.bias + column_ + c);
      StoreUpTo(function_(sum), cols - c, out + c);
    }
  }

  void NextPanel() {
    --panels_;
    column_ += kPairCols;
    row_ = first_row_;
    sums_ = next_sums_;
    if (panels_ > 0) FetchLines();
  }

  /// Rows of out lie far apart: without this each line is waited for by itself when it is written.
  void FetchLines() const {
    for (int64_t row = first_row_; row < end_row_; ++row) __builtin_prefetch(Out(row), 1);
  }

  const GemmArgs<BFloat16>& args_;
  const Function& function_;
  int64_t first_row_ = 0, row_ = 0, end_row_ = 0;
  int64_t column_ = 0;
  int64_t panels_ = 0;  ///< Not finished yet.
  const float* sums_ = nullptr;
  const float* next_sums_ = nullptr;  ///< Of the second panel.
};

}  // namespace rose::cpu
