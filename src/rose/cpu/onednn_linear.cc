#include "rose/cpu/onednn_linear.h"

#include <algorithm>
#include <cstring>

#include "common/check.h"

namespace rose::cpu {
namespace {

/// Columns of a part: narrow enough that two threads can share the narrowest layers, wide enough
/// that a call (a microsecond or two) costs little beside its work.
constexpr int64_t kPartCols = 384;
/// Columns that oneDNN packs side by side, the last of a product filled up with zeros.
constexpr int64_t kUnitCols = 64;
/// Rows that one thread takes at once.
constexpr int64_t kRowUnit = 64;

int64_t PartCount(int64_t cols) {
  return cols >= 2 * kPartCols ? (cols + kPartCols - 1) / kPartCols : cols >= 128 ? 2 : 1;
}

/// Part i of `count`: whole units, so that oneDNN pads no part but the last.
Share ColumnsOf(int64_t cols, int64_t i, int64_t count) {
  const Share units = ShareOf((cols + kUnitCols - 1) / kUnitCols, i, count);
  return {.begin = units.begin * kUnitCols, .end = std::min(units.end * kUnitCols, cols)};
}

/// Of the largest product, in whole cache lines: oneDNN's scratchpad lies behind it.
int64_t DenseBytes(DType dtype, int64_t cols) {
  const int64_t bytes = OneDnnProduct::kRows[0] * cols * static_cast<int64_t>(SizeOf(dtype));
  return (bytes + 63) / 64 * 64;
}

std::byte* At(Tensor tensor, int64_t row, int64_t column) {
  return static_cast<std::byte*>(tensor.data) +
         (row * tensor.cols + column) * static_cast<int64_t>(SizeOf(tensor.dtype));
}

}  // namespace

OneDnnLinear::OneDnnLinear(OneDnnProducts& products, const Kernels& kernels, DType type,
                           const RowSource& weight, std::span<const float> bias)
    : CpuLinear(type, weight, bias),
      kernels_(kernels),
      bias_(out_features * int64_t{sizeof(float)}) {
  std::copy(bias.begin(), bias.end(), bias_.floats());
  const int64_t count = PartCount(out_features);
  for (int64_t i = 0; i < count; ++i) {
    const Share columns = ColumnsOf(out_features, i, count);
    const int64_t cols = columns.end - columns.begin;
    const OneDnnProduct& product = products.Get(dtype, in_features, cols);
    parts_.push_back({.column = columns.begin,
                      .cols = cols,
                      .product = &product,
                      .weights = product.Pack(weight, columns.begin)});
    if (count > 1) dense_bytes_ = std::max(dense_bytes_, DenseBytes(dtype, cols));
    product_bytes_ = std::max(product_bytes_, product.workspace_bytes());
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
  const bool whole = part.cols == out.cols;
  const auto row_bytes = static_cast<std::size_t>(part.cols) * SizeOf(out.dtype);
  std::size_t index = 0;
  for (int64_t row = rows.begin; row < rows.end;) {
    while (OneDnnProduct::kRows[index] > rows.end - row) ++index;
    const int64_t count = OneDnnProduct::kRows[index];
    std::byte* const product = whole ? At(out, row, 0) : workspace;
    part.product->Run(index, At(x, row, 0), part.weights, bias_.floats() + part.column, product,
                      workspace + dense_bytes_);
    if (activation != nullptr) Activate(*activation, count * part.cols, product);
    for (int64_t r = 0; r < count && !whole; ++r) {
      std::memcpy(At(out, row + r, part.column), product + static_cast<std::size_t>(r) * row_bytes,
                  row_bytes);
    }
    row += count;
  }
}

void OneDnnLinear::Activate(Activation activation, int64_t elements, std::byte* x) const {
  if (dtype == DType::kFloat32) {
    kernels_.f32.activate(activation, elements, reinterpret_cast<float*>(x));
  } else {
    kernels_.bf16.activate(activation, elements, reinterpret_cast<BFloat16*>(x));
  }
}

}  // namespace rose::cpu
