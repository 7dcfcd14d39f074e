#include "rose/cpu/packed_linear.h"

#include <algorithm>
#include <vector>

#include "common/check.h"

namespace rose::cpu {
namespace {

/// Of the rows that are read at once: they stay in the second-level cache until they are packed.
constexpr int64_t kBlockFloats = int64_t{1} << 18;

}  // namespace

PackedLinear::PackedLinear(const Kernels& kernels, const RowSource& weight,
                           std::span<const float> bias)
    : CpuLinear(DType::kFloat32, weight, bias),
      kernels_(kernels),
      panel_count_((out_features + kernels.panel_cols - 1) / kernels.panel_cols),
      panels_(panel_count_ * kernels.panel_cols * in_features * int64_t{sizeof(float)}),
      bias_(panel_count_ * kernels.panel_cols * int64_t{sizeof(float)}) {
  const int64_t panel_floats = kernels.panel_cols * std::max<int64_t>(in_features, 1);
  const int64_t block = std::max<int64_t>(kBlockFloats / panel_floats, 1) * kernels.panel_cols;
  std::vector<float> rows(static_cast<std::size_t>(std::min(block, out_features) * in_features));
  for (int64_t row = 0; row < out_features; row += block) {
    const int64_t count = std::min(block, out_features - row);
    weight.Read(row, count, rows.data());
    Pack(row, count, rows.data());
  }
  std::copy(bias.begin(), bias.end(), bias_.floats());
}

void PackedLinear::Pack(int64_t row, int64_t count, const float* weight) {
  const int64_t width = kernels_.panel_cols;
  for (int64_t first = 0; first < count; first += width) {
    const int64_t columns = std::min(width, count - first);
    const float* from = weight + first * in_features;
    float* to = panels_.floats() + (row + first) * in_features;
    for (int64_t k = 0; k < in_features; ++k, to += width) {
      for (int64_t column = 0; column < columns; ++column) {
        to[column] = from[column * in_features + k];
      }
    }
  }
}

void PackedLinear::Multiply(Tensor x, const Activation* activation, Parallel& parallel,
                            Tensor out) const {
  DCHECK(x.cols == in_features && out.cols == out_features && x.rows == out.rows);
  const LinearSplit split = SplitLinear(parallel.width(), x.rows, kernels_.tile_rows, panel_count_,
                                        x.rows * in_features * out_features);
  const auto run = [&](int64_t task, std::byte*) {
    const Share rows = ShareOf(x.rows, task / split.column_parts, split.row_blocks);
    const Share panels = ShareOf(panel_count_, task % split.column_parts, split.column_parts);
    const int64_t column = panels.begin * kernels_.panel_cols;
    kernels_.gemm({.a = x.f32() + rows.begin * x.cols,
                   .a_stride = x.cols,
                   .rows = rows.end - rows.begin,
                   .panels = panels_.floats() + column * in_features,
                   .k = in_features,
                   .cols = std::min(panels.end * kernels_.panel_cols, out_features) - column,
                   .bias = bias_.floats() + column,
                   .activation = activation,
                   .out = out.f32() + rows.begin * out.cols + column,
                   .out_stride = out.cols});
  };
  parallel.For(split.tasks(), run);
}

}  // namespace rose::cpu
