#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rose/core/row_source.h"
#include "rose/weights/host_tensor.h"

namespace rose {

/// Rows of stored tensors, one tensor below the other, as one matrix: what a Backend reads. Pages
/// of a mapped file leave memory as soon as they have been read.
class TensorRows final : public RowSource {
 public:
  /// No rows yet.
  explicit TensorRows(int64_t cols) : RowSource(0, cols) {}

  /// Appends rows first … first + count − 1 of a tensor whose rows have cols() elements.
  void Append(HostTensor tensor, int64_t first, int64_t count);

  using RowSource::Read;
  void Read(int64_t row, int64_t count, float* out) const override;
  void Read(int64_t row, int64_t count, BFloat16* out) const override;

  /// The name of the tensor of which a value that was read is infinite or NaN; empty if none is.
  const std::string& non_finite() const { return non_finite_; }

  /// As stored.
  int64_t bytes() const;
  int64_t tensors() const { return static_cast<int64_t>(pieces_.size()); }

 private:
  /// Rows of the whole matrix that one tensor holds.
  struct Piece {
    HostTensor tensor;
    int64_t begin = 0;
    int64_t end = 0;
    int64_t first = 0;  ///< The tensor's row that is row `begin`.

    int64_t row_bytes(int64_t cols) const {
      return cols * static_cast<int64_t>(SizeOf(tensor.dtype));
    }
  };

  template <typename T>
  void ReadRows(int64_t row, int64_t count, T* out) const;

  std::vector<Piece> pieces_;
  mutable std::string non_finite_;
};

}  // namespace rose
