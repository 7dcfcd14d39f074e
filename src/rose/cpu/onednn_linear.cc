#include "rose/cpu/onednn_linear.h"

#include <algorithm>

#include "common/check.h"

namespace rose::cpu {
namespace {

/// Columns of a part: narrow enough that two threads can share the narrowest layers, wide enough
/// that a call (a microsecond or two) costs little beside its work.
constexpr int64_t kPartCols = 384;
/// Rows that one thread takes at once.
constexpr int64_t kRowUnit = 64;

int64_t PartCount(int64_t cols) {
  return cols >= 2 * kPartCols ? (cols + kPartCols - 1) / kPartCols : cols >= 128 ? 2 : 1;
}

std::byte* At(Tensor tensor, int64_t row, int64_t column) {
  return static_cast<std::byte*>(tensor.data) +
         (row * tensor.cols + column) * static_cast<int64_t>(SizeOf(tensor.dtype));
}

}  // namespace

OneDnnLinear::OneDnnLinear(OneDnnProducts& products, const Kernels& kernels, DType dtype,
                           const LinearValues& values)
    : CpuLinear(values), kernels_(kernels), bias_(out_features * int64_t{sizeof(float)}) {
  std::copy(values.bias.begin(), values.bias.end(), bias_.floats());
  const int64_t count = PartCount(out_features);
  for (int64_t i = 0; i < count; ++i) {
    const Share columns = ShareOf(out_features, i, count);
    const int64_t cols = columns.end - columns.begin;
    const OneDnnProduct& product = products.Get(dtype, in_features, cols, out_features);
    parts_.push_back({.column = columns.begin,
                      .cols = cols,
                      .product = &product,
                      .weights = product.Pack(values.weight.subspan(
                          static_cast<std::size_t>(columns.begin * in_features),
                          static_cast<std::size_t>(cols * in_features)))});
    workspace_bytes_ = std::max(workspace_bytes_, product.workspace_bytes());
  }
}

int64_t OneDnnLinear::memory_bytes() const {
  int64_t bytes = bias_.bytes();
  for (const Part& part : parts_) bytes += part.weights.bytes();
  return bytes;
}

void OneDnnLinear::Multiply(Tensor x, const Activation* activation, Parallel& parallel,
                            Tensor out) const {
  DCHECK(x.cols == in_features && out.cols == out_features && x.rows == out.rows);
  const auto parts = static_cast<int64_t>(parts_.size());
  LinearSplit split =
      SplitLinear(parallel.width(), x.rows, kRowUnit, parts, x.rows * in_features * out_features);
  split.column_parts = parts;
  parallel.For(split.tasks(), [&](int64_t task, std::byte* workspace) {
    MultiplyPart(parts_[static_cast<std::size_t>(task % parts)], x,
                 ShareOf(x.rows, task / parts, split.row_blocks), activation, workspace, out);
  });
}

void OneDnnLinear::MultiplyPart(const Part& part, Tensor x, Share rows,
                                const Activation* activation, std::byte* workspace,
                                Tensor out) const {
  std::size_t index = 0;
  for (int64_t row = rows.begin; row < rows.end;) {
    while (OneDnnProduct::kRows[index] > rows.end - row) ++index;
    const int64_t count = OneDnnProduct::kRows[index];
    part.product->Run(index, At(x, row, 0), part.weights, bias_.floats() + part.column,
                      At(out, row, part.column), workspace);
    for (int64_t r = row; activation != nullptr && r < row + count; ++r) {
      std::byte* to = At(out, r, part.column);
      if (out.dtype == DType::kFloat32) {
        kernels_.f32.activate(*activation, part.cols, reinterpret_cast<float*>(to));
      } else {
        kernels_.bf16.activate(*activation, part.cols, reinterpret_cast<BFloat16*>(to));
      }
    }
    row += count;
  }
}

}  // namespace rose::cpu
