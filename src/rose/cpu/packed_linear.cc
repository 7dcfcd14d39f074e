#include "rose/cpu/packed_linear.h"

#include <algorithm>

#include "common/check.h"

namespace rose::cpu {

PackedLinear::PackedLinear(const Kernels& kernels, const LinearValues& values)
    : CpuLinear(values),
      kernels_(kernels),
      panel_count_((out_features + kernels.panel_cols - 1) / kernels.panel_cols),
      panels_(panel_count_ * kernels.panel_cols * in_features * int64_t{sizeof(float)}),
      bias_(panel_count_ * kernels.panel_cols * int64_t{sizeof(float)}) {
  const int64_t width = kernels.panel_cols;
  for (int64_t column = 0; column < out_features; ++column) {
    const float* from = values.weight.data() + column * in_features;
    float* to = panels_.floats() + column / width * width * in_features + column % width;
    for (int64_t k = 0; k < in_features; ++k) to[k * width] = from[k];
  }
  std::copy(values.bias.begin(), values.bias.end(), bias_.floats());
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
