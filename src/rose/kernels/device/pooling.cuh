#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "rose/core/op_params.h"
#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/device/rows.cuh"
#include "rose/kernels/device/vector.cuh"

// What the poolings share: where a sequence lies, sums and largest values down its columns, and
// what they become.

namespace rose::kernels {

/// A sequence's rows begin … begin + tokens − 1, of which the first `skipped` do not count.
struct Sequence {
  int begin;
  int tokens;
  int skipped;

  __device__ __forceinline__ bool counts_nothing() const { return skipped == tokens; }
};

struct Sequences {
  const int32_t* cu_seqlens;
  const int32_t* skip;  ///< Or null.

  __device__ __forceinline__ Sequence At(int s) const {
    const int32_t begin = cu_seqlens[s], end = cu_seqlens[s + 1];
    const int32_t skipped = skip == nullptr ? 0 : skip[s];
    return {.begin = begin, .tokens = end - begin, .skipped = min(skipped, end - begin)};
  }
};

/// Folding by + or by the larger, which NaN survives.
template <bool kMax>
struct Fold {
  static constexpr float kNone = kMax ? -std::numeric_limits<float>::infinity() : 0;

  __device__ __forceinline__ float operator()(float a, float b) const {
    return kMax ? LargerOrNan(a, b) : a + b;
  }
};

/// Rows first, first + step, … below `end` of the vector column that begins at `column`;
/// `weighted`: row i counts i + 1 times. Eight loads are in flight.
template <bool kMax, int kWidth, typename T>
__device__ __forceinline__ Floats<kWidth> FoldRows(const T* column, int64_t cols, int first,
                                                   int end, int step, bool weighted) {
  constexpr int kRows = 8;
  Floats<kWidth> folded = Filled<kWidth>(Fold<kMax>::kNone);
  for (int base = first; base < end; base += kRows * step) {
    Vector<T, kWidth> rows[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int row = base + r * step;
      if (row < end) rows[r] = Load<T, kWidth>(column + row * cols);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int row = base + r * step;
      if (row >= end) break;
      const float weight = weighted ? static_cast<float>(row + 1) : 1;
      const Floats<kWidth> values = Widen(rows[r]);
#pragma unroll
      for (int i = 0; i < kWidth; ++i) {
        folded[i] = Fold<kMax>()(folded[i], kMax ? values[i] : weight * values[i]);
      }
    }
  }
  return folded;
}

/// How a block folds a tile of columns: thread (x, y) takes vector x of rows y, y + blockDim.y, …,
/// and then the first threads, by the numbers that `thread` gives, combine what these have, kOut
/// columns each.
template <int kWidth>
struct FoldTile {
  static constexpr int kThreads = 512;
  static constexpr int kOut = kWidth < 4 ? kWidth : 4;

  /// Threads along a row, where nothing else demands some: 256 bytes of it lie together.
  template <typename T>
  static constexpr int LanesFor() {
    return 256 / (kWidth * static_cast<int>(sizeof(T)));
  }

  /// Shared memory.
  struct alignas(16) Folds {
    float values[kThreads * kWidth];
  };

  __device__ static int cols() { return static_cast<int>(blockDim.x) * kWidth; }
  __device__ static int thread() {
    return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  }
  /// The first of this thread's columns within the tile; those behind `cols()` are nobody's.
  __device__ static int out_column() { return thread() * kOut; }

  /// Over the rows first … end − 1 of x, which begins at the tile's first column of row 0; the tile
  /// has `tile_cols` columns that are there. The result is that of out_column(). The whole block
  /// calls, and meets before it uses `folds` again.
  template <bool kMax, typename T>
  __device__ static Floats<kOut> Run(const T* x, int64_t cols, int tile_cols, int first, int end,
                                     bool weighted, Folds& folds) {
    const int column = static_cast<int>(threadIdx.x) * kWidth;
    const auto slot = static_cast<int>(threadIdx.y), slots = static_cast<int>(blockDim.y);
    Floats<kWidth> folded = Filled<kWidth>(Fold<kMax>::kNone);
    if (column < tile_cols) {
      folded = FoldRows<kMax, kWidth>(x + column, cols, first + slot, end, slots, weighted);
    }
    StoreFloats(folds.values + slot * FoldTile::cols() + column, folded);
    __syncthreads();
    Floats<kOut> out = Filled<kOut>(Fold<kMax>::kNone);
    if (out_column() >= tile_cols) return out;
    for (int other = 0; other < slots; ++other) {
      const float* const part = folds.values + other * FoldTile::cols() + out_column();
      const Floats<kOut> values = Widen(Load<float, kOut>(part));
#pragma unroll
      for (int i = 0; i < kOut; ++i) out[i] = Fold<kMax>()(out[i], values[i]);
    }
    return out;
  }
};

/// The elements of an access: those of x's rows, and, up to four at a time, those of `out`'s from
/// `column` on.
inline int PoolingWidth(Tensor x, int64_t column, Tensor out) {
  const int width = VectorWidth(x.dtype, x.cols, {x.data});
  const int out_width = VectorWidth(DType::kFloat32, out.cols, {Elements<float>(out) + column});
  return std::min(width, 4) <= out_width ? width : out_width;
}

/// What a sequence's sums are divided by; 1 where nothing counts, and the sums are 0.
__device__ __forceinline__ float PoolingDivisor(PoolingMode mode, const Sequence& sequence) {
  const auto tokens = static_cast<int64_t>(sequence.tokens);
  const auto skipped = static_cast<int64_t>(sequence.skipped);
  if (tokens == skipped) return 1;
  switch (mode) {
    case PoolingMode::kMean:
      return static_cast<float>(tokens - skipped);
    case PoolingMode::kMeanSqrtLen:
      return sqrtf(static_cast<float>(tokens - skipped));
    case PoolingMode::kWeightedMean:
      return static_cast<float>((tokens * (tokens + 1) - skipped * (skipped + 1)) / 2);
    default:
      return 1;
  }
}

/// 1 / max(‖x‖, 1e-12) from the sum of the squares, which is double: values whose squares leave
/// float32's range still have a direction. NaN stays.
__device__ __forceinline__ float InverseNorm(double squares) {
  constexpr float kNormMin = 1e-12f;
  constexpr double kFloatMax = 1e38;
  const float norm =
      squares < kFloatMax ? sqrtf(static_cast<float>(squares)) : static_cast<float>(sqrt(squares));
  return 1 / (norm < kNormMin ? kNormMin : norm);
}

template <int kWidth>
__device__ __forceinline__ double SquaresOf(const Floats<kWidth>& x) {
  double squares = 0;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) squares += static_cast<double>(x[i]) * x[i];
  return squares;
}

template <int kWidth>
__device__ __forceinline__ Floats<kWidth> Scaled(Floats<kWidth> x, float scale) {
#pragma unroll
  for (int i = 0; i < kWidth; ++i) x[i] *= scale;
  return x;
}

}  // namespace rose::kernels
