#include "rose/cpu/packed_linear.h"

#include <algorithm>
#include <vector>

#include "common/check.h"
#include "rose/cpu/tensor_data.h"

namespace rose::cpu {
namespace {

/// Of the rows that are read at once: they stay in the second-level cache until they are packed.
constexpr int64_t kBlockElements = int64_t{1} << 18;

template <typename T>
constexpr DType kDTypeOf = DType::kFloat32;
template <>
constexpr DType kDTypeOf<BFloat16> = DType::kBFloat16;

}  // namespace

template <typename T>
PackedLinear<T>::PackedLinear(const GemmKernel<T>& gemm, const RowSource& weight,
                              std::span<const float> bias)
    : CpuLinear(kDTypeOf<T>, weight, bias),
      gemm_(gemm),
      panel_count_((out_features + gemm.panel_cols - 1) / gemm.panel_cols),
      panel_elements_(gemm.PanelElements(in_features)),
      panels_(panel_count_ * panel_elements_ * int64_t{sizeof(T)}),
      bias_(panel_count_ * gemm.panel_cols * int64_t{sizeof(float)}) {
  CHECK(gemm.run != nullptr);
  const int64_t panel = gemm.panel_cols * std::max<int64_t>(in_features, 1);
  const int64_t block = std::max<int64_t>(kBlockElements / panel, 1) * gemm.panel_cols;
  std::vector<T> rows(static_cast<std::size_t>(std::min(block, out_features) * in_features));
  for (int64_t row = 0; row < out_features; row += block) {
    const int64_t count = std::min(block, out_features - row);
    weight.Read(row, count, rows.data());
    Pack(row, count, rows.data());
  }
  std::copy(bias.begin(), bias.end(), bias_.floats());
}

template <typename T>
void PackedLinear<T>::Pack(int64_t row, int64_t count, const T* weight) {
  const int64_t width = gemm_.panel_cols, terms = gemm_.panel_terms;
  for (int64_t first = 0; first < count; first += width) {
    const int64_t columns = std::min(width, count - first);
    const T* from = weight + first * in_features;
    T* to = panels() + (row + first) / width * panel_elements_;
    for (int64_t k = 0; k < in_features; ++k) {
      T* at = to + k / terms * terms * width + k % terms;
      for (int64_t column = 0; column < columns; ++column) {
        at[column * terms] = from[column * in_features + k];
      }
    }
  }
}

template <typename T>
void PackedLinear<T>::Multiply(Tensor x, const Activation* activation, Parallel& parallel,
                               Tensor out) const {
  DCHECK(x.cols == in_features && out.cols == out_features && x.rows == out.rows);
  const LinearSplit split = SplitLinear(parallel.width(), x.rows, gemm_.tile_rows, panel_count_,
                                        x.rows * in_features * out_features);
  const auto run = [&](int64_t task, std::byte* workspace) {
    const Share rows = ShareOf(x.rows, task / split.column_parts, split.row_blocks);
    const Share panels = ShareOf(panel_count_, task % split.column_parts, split.column_parts);
    const int64_t column = panels.begin * gemm_.panel_cols;
    gemm_.run({.a = Data<T>(x) + rows.begin * x.cols,
               .a_stride = x.cols,
               .rows = rows.end - rows.begin,
               .panels = this->panels() + panels.begin * panel_elements_,
               .panel_stride = panel_elements_,
               .k = in_features,
               .cols = std::min(panels.end * gemm_.panel_cols, out_features) - column,
               .bias = bias_.floats() + column,
               .activation = activation,
               .out = Data<T>(out) + rows.begin * out.cols + column,
               .out_stride = out.cols,
               .workspace = reinterpret_cast<T*>(workspace)});
  };
  parallel.For(split.tasks(), run);
}

template class PackedLinear<float>;
template class PackedLinear<BFloat16>;

}  // namespace rose::cpu
