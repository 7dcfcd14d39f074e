#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/math_body.h"
#include "rose/cpu/tile_body.h"

namespace rose::cpu {

/// Most rows of A that stay in the second-level cache while the panels pass by.
inline constexpr int64_t kGemmRows = 144;
/// Depth of a panel's slice that stays in the first-level cache while the rows pass by.
inline constexpr int64_t kGemmDepth = 384;

template <typename V>
void ActivateBlock(Activation activation, int64_t rows, int64_t cols, float* out, int64_t stride) {
  WithActivation<V>(activation, [&](auto function) {
    for (int64_t r = 0; r < rows; ++r) {
      float* row = out + r * stride;
      int64_t c = 0;
      for (; c + V::kWidth <= cols; c += V::kWidth) function(V::Load(row + c)).Store(row + c);
      if (c < cols) function(V::LoadPart(row + c, cols - c)).StorePart(row + c, cols - c);
    }
  });
}

/// The rows of one block times one panel's slice [k_begin, k_end).
template <typename V>
void GemmPanel(const GemmArgs<float>& args, int64_t row_begin, int64_t row_end, int64_t panel,
               int64_t k_begin, int64_t k_end) {
  constexpr int64_t kCols = 2 * V::kWidth;
  const int64_t column = panel * kCols;
  const int64_t cols = args.cols - column < kCols ? args.cols - column : kCols;
  float narrow[V::kTileRows * kCols];  // Stands in for rows of out that a whole tile would overrun.
  for (int64_t r = row_begin; r < row_end;) {
    const int64_t rows = NextTileRows<V>(row_end - r);
    float* out = args.out + r * args.out_stride + column;
    TileArgs tile{
        .a = args.a + r * args.a_stride + k_begin,
        .a_stride = args.a_stride,
        .b = args.panels + panel * args.panel_stride + k_begin * kCols,
        .k = k_end - k_begin,
        .c = out,
        .c_stride = args.out_stride,
        .start = k_begin == 0 ? args.bias + column : nullptr,
        .ahead = args.panels + (panel + (r == row_begin)) * args.panel_stride + k_begin * kCols};
    if (cols == kCols) {
      TileOfRows<V>(rows, tile);
    } else {
      tile.c = narrow;
      tile.c_stride = kCols;
      for (int64_t i = 0; i < rows * cols && k_begin != 0; ++i) {
        narrow[i / cols * kCols + i % cols] = out[i / cols * args.out_stride + i % cols];
      }
      TileOfRows<V>(rows, tile);
      for (int64_t i = 0; i < rows * cols; ++i) {
        out[i / cols * args.out_stride + i % cols] = narrow[i / cols * kCols + i % cols];
      }
    }
    r += rows;
  }
  if (args.activation != nullptr && k_end == args.k) {
    ActivateBlock<V>(*args.activation, row_end - row_begin, cols,
                     args.out + row_begin * args.out_stride + column, args.out_stride);
  }
}

template <typename V>
void Gemm(const GemmArgs<float>& args) {
  const int64_t panels = (args.cols + 2 * V::kWidth - 1) / (2 * V::kWidth);
  const int64_t slices = (args.k + kGemmDepth - 1) / kGemmDepth;
  const int64_t blocks = (args.rows + kGemmRows - 1) / kGemmRows;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t row = args.rows * block / blocks, row_end = args.rows * (block + 1) / blocks;
    for (int64_t slice = 0; slice < slices; ++slice) {
      const int64_t k_begin = args.k * slice / slices, k_end = args.k * (slice + 1) / slices;
      for (int64_t panel = 0; panel < panels; ++panel) {
        GemmPanel<V>(args, row, row_end, panel, k_begin, k_end);
      }
    }
  }
}

}  // namespace rose::cpu
