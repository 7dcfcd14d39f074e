#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/check.h"
#include "rose/core/bfloat16.h"
#include "rose/core/dtype.h"

namespace rose {

/// A matrix [rows × cols] on the host that a backend reads block by block, each row once and in
/// ascending order where it can, so that no float32 copy of the whole is ever held. One thread.
class RowSource {
 public:
  RowSource(int64_t rows, int64_t cols) : rows_(rows), cols_(cols) {}
  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }

  /// Rows row … row + count − 1 into `out` [count × cols], exactly.
  virtual void Read(int64_t row, int64_t count, float* out) const = 0;
  /// The same, rounded to nearest even where a value is none of bfloat16.
  virtual void Read(int64_t row, int64_t count, BFloat16* out) const = 0;
  /// The one or the other: `out` holds elements of `dtype`.
  void Read(int64_t row, int64_t count, DType dtype, void* out) const {
    if (dtype == DType::kBFloat16) {
      Read(row, count, static_cast<BFloat16*>(out));
    } else {
      Read(row, count, static_cast<float*>(out));
    }
  }

 protected:
  int64_t rows_;
  int64_t cols_;
};

/// Values that lie in memory already; they outlive it.
class MemoryRows final : public RowSource {
 public:
  MemoryRows(std::span<const float> values, int64_t rows, int64_t cols)
      : RowSource(rows, cols), values_(values) {
    CHECK(static_cast<int64_t>(values.size()) == rows * cols) << values.size() << " values";
  }

  using RowSource::Read;
  void Read(int64_t row, int64_t count, float* out) const override {
    const std::span<const float> block = Block(row, count);
    std::copy(block.begin(), block.end(), out);
  }
  void Read(int64_t row, int64_t count, BFloat16* out) const override {
    const std::span<const float> block = Block(row, count);
    std::transform(block.begin(), block.end(), out, BFloat16::FromFloat);
  }

 private:
  std::span<const float> Block(int64_t row, int64_t count) const {
    return values_.subspan(static_cast<std::size_t>(row * cols_),
                           static_cast<std::size_t>(count * cols_));
  }

  std::span<const float> values_;
};

}  // namespace rose
