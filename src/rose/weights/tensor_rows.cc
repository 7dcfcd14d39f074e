#include "rose/weights/tensor_rows.h"

#include <algorithm>
#include <utility>

#include "common/check.h"
#include "rose/weights/convert.h"

namespace rose {
namespace {

/// Read before its pages are dropped: far more than a system call costs, far less than a model.
constexpr int64_t kBlockBytes = int64_t{2} << 20;

}  // namespace

void TensorRows::Append(HostTensor tensor, int64_t first, int64_t count) {
  const int64_t end = rows_ + count;
  Piece& piece = pieces_.emplace_back(
      Piece{.tensor = std::move(tensor), .begin = rows_, .end = end, .first = first});
  CHECK((first + count) * piece.row_bytes(cols_) <= std::ssize(piece.tensor.bytes))
      << piece.tensor.name;
  rows_ = end;
}

template <typename T>
void TensorRows::ReadRows(int64_t row, int64_t count, T* out) const {
  CHECK(row >= 0 && row + count <= rows_) << row << " + " << count;
  for (const Piece& piece : pieces_) {
    const int64_t row_bytes = piece.row_bytes(cols_);
    const int64_t block = std::max<int64_t>(kBlockBytes / std::max<int64_t>(row_bytes, 1), 1);
    const int64_t end = std::min(row + count, piece.end);
    for (int64_t next = std::max(row, piece.begin); next < end; next += block) {
      const int64_t rows = std::min(block, end - next);
      const auto bytes = piece.tensor.bytes.subspan(
          static_cast<std::size_t>((piece.first + next - piece.begin) * row_bytes),
          static_cast<std::size_t>(rows * row_bytes));
      Convert(piece.tensor.dtype, bytes, out + (next - row) * cols_);
      if (!AllFinite(piece.tensor.dtype, bytes)) non_finite_ = piece.tensor.name;
      if (piece.tensor.file != nullptr) piece.tensor.file->Drop(bytes);
    }
  }
}

void TensorRows::Read(int64_t row, int64_t count, float* out) const { ReadRows(row, count, out); }

void TensorRows::Read(int64_t row, int64_t count, BFloat16* out) const {
  ReadRows(row, count, out);
}

int64_t TensorRows::bytes() const {
  int64_t bytes = 0;
  for (const Piece& piece : pieces_) bytes += (piece.end - piece.begin) * piece.row_bytes(cols_);
  return bytes;
}

}  // namespace rose
