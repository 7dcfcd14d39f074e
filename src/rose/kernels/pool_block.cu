#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/pooling.cuh"
#include "rose/kernels/device/rows.cuh"
#include "rose/kernels/device/vector.cuh"
#include "rose/kernels/pool.h"

namespace rose::kernels {
namespace {

/// Blocks that share the sequences of a tile's columns.
constexpr unsigned kSequenceLanes = 4;

template <typename T>
struct PoolBlockParams {
  const T* x;
  int rows;
  int cols;
  int first_row;
  const int32_t* cu_seqlens;
  int sequences;
  float* out;
};

/// The sequence that holds a row of the packed tokens; the number of sequences where none does.
__device__ int SequenceOf(const int32_t* cu_seqlens, int sequences, int row) {
  int low = 0, high = sequences;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (cu_seqlens[middle + 1] > row) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Block (x, y) folds tile x of every kSequenceLanes-th sequence that has rows here. No other block
/// touches these columns of these rows of `out`.
template <bool kMax, int kWidth, typename T>
__global__ void __launch_bounds__(FoldTile<kWidth>::kThreads)
    PoolBlockKernel(PoolBlockParams<T> p) {
  using Tile = FoldTile<kWidth>;
  __shared__ typename Tile::Folds folds;
  TriggerSuccessor();
  WaitForPredecessor();
  const int first_column = static_cast<int>(blockIdx.x) * Tile::cols();
  const int tile_cols = min(Tile::cols(), p.cols - first_column);
  const int end_row = p.first_row + p.rows;
  int s = SequenceOf(p.cu_seqlens, p.sequences, p.first_row) + static_cast<int>(blockIdx.y);
  for (; s < p.sequences; s += kSequenceLanes) {
    const int begin = max(p.cu_seqlens[s], p.first_row) - p.first_row;
    const int end = min(p.cu_seqlens[s + 1], end_row) - p.first_row;
    if (begin >= p.rows) break;
    if (begin >= end) continue;
    const auto folded = Tile::template Run<kMax>(p.x + first_column, p.cols, tile_cols, begin, end,
                                                 /*weighted=*/false, folds);
    if (Tile::out_column() < tile_cols) {
      float* const out = p.out + int64_t{s} * p.cols + first_column + Tile::out_column();
      auto values = Widen(Load<float, Tile::kOut>(out));
#pragma unroll
      for (int i = 0; i < Tile::kOut; ++i) values[i] = Fold<kMax>()(values[i], folded[i]);
      StoreFloats(out, values);
    }
    __syncthreads();
  }
}

}  // namespace

cudaError_t PoolBlock(const Launch& launch, PoolingMode mode, Tensor x, int64_t first_row,
                      const int32_t* cu_seqlens, Tensor out) {
  if (mode != PoolingMode::kMax && mode != PoolingMode::kSum) return cudaErrorInvalidValue;
  if (x.elements() == 0 || out.rows == 0) return cudaSuccess;
  return WithVectors(x.dtype, PoolingWidth(x, 0, out), [&]<typename T, int kWidth>() {
    const PoolBlockParams<T> params{.x = Elements<T>(x),
                                    .rows = static_cast<int>(x.rows),
                                    .cols = static_cast<int>(x.cols),
                                    .first_row = static_cast<int>(first_row),
                                    .cu_seqlens = cu_seqlens,
                                    .sequences = static_cast<int>(out.rows),
                                    .out = Elements<float>(out)};
    constexpr int kLanes = FoldTile<kWidth>::template LanesFor<T>();
    const auto tiles = static_cast<unsigned>((x.cols + kLanes * kWidth - 1) / (kLanes * kWidth));
    const auto kernel = mode == PoolingMode::kMax ? PoolBlockKernel<true, kWidth, T>
                                                  : PoolBlockKernel<false, kWidth, T>;
    return LaunchKernel(launch, kernel, dim3(tiles, kSequenceLanes),
                        dim3(kLanes, FoldTile<kWidth>::kThreads / kLanes), /*shared_bytes=*/0,
                        params);
  });
}

}  // namespace rose::kernels
