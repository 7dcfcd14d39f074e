#pragma once

#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/device/vector.cuh"
#include "rose/kernels/device/warp_mma.cuh"
#include "rose/kernels/short_attention_shape.cuh"

// How rows of heads come into shared memory, and are normed and turned there.

namespace rose::kernels {

/// Which rows and columns of a matrix of head_dim columns a thread copies, norms and turns: of rows
/// first, first + kStep, … the eight columns from `at` on and those that they are turned with. A
/// warp has as many whole rows as divide 16.
template <int kDim, int kThreads>
struct RowShare {
  static constexpr int kHalf = kDim / 2;
  static constexpr int kLanes = kHalf / 8;  ///< Of a row.
  static constexpr int kStep = kThreads / kLanes;
  /// Rows of a thread.
  static constexpr int Count(int rows) { return (rows + kStep - 1) / kStep; }

  int first = static_cast<int>(threadIdx.x) / kLanes;
  int at = static_cast<int>(threadIdx.x) % kLanes * 8;

  /// Begins to copy this thread's part of a row, from its column `at` on, or zeros.
  __device__ void Copy(const Bf16* from, bool read, Bf16* to) const {
    CopyOrZero(to + at, from, read);
    CopyOrZero(to + at + kHalf, from + kHalf, read);
  }
};

/// A row's cosines and sines: of a thread's eight pairs of columns.
struct Turn {
  Floats<8> cosines;
  Floats<8> sines;
};

/// `from`: the row's part of the table.
template <int kHalf>
__device__ __forceinline__ Turn LoadTurn(const float* from) {
  return {.cosines = LoadWeights<8, /*kEarly=*/true>(from),
          .sines = LoadWeights<8, /*kEarly=*/true>(from + kHalf)};
}

/// A root mean square norm: a thread's columns of it.
struct HeadScale {
  Floats<8> low;
  Floats<8> high;
  float epsilon;
};

template <int kHalf>
__device__ __forceinline__ HeadScale LoadHeadScale(const float* weight, float epsilon) {
  return {.low = LoadWeights<8, /*kEarly=*/true>(weight),
          .high = LoadWeights<8, /*kEarly=*/true>(weight + kHalf),
          .epsilon = epsilon};
}

__device__ __forceinline__ float Squares(const Floats<8>& low, const Floats<8>& high) {
  float sums[2] = {};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    sums[0] = fmaf(low[i], low[i], sums[0]);
    sums[1] = fmaf(high[i], high[i], sums[1]);
  }
  return sums[0] + sums[1];
}

/// Norms and turns the thread's part of a row in shared memory, which it has copied itself. The
/// lanes of a row call together, and with them their warp.
template <int kHalf, bool kNorm>
__device__ __forceinline__ void PrepareRow(const HeadScale& norm, const Turn& turn, Bf16* row) {
  constexpr int kLanes = kHalf / 8;
  Floats<8> a = Widen(Load<Bf16, 8>(row)), b = Widen(Load<Bf16, 8>(row + kHalf));
  if constexpr (kNorm) {
    const float squares = LanesSum(Squares(a, b), kLanes);
    const float scale = rsqrtf(fmaf(squares, 1.0f / (2 * kHalf), norm.epsilon));
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      a[i] *= scale * norm.low[i];
      b[i] *= scale * norm.high[i];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float turned = a[i] * turn.cosines[i] - b[i] * turn.sines[i];
    b[i] = b[i] * turn.cosines[i] + a[i] * turn.sines[i];
    a[i] = turned;
  }
  Store(row, Narrow<Bf16>(a));
  Store(row + kHalf, Narrow<Bf16>(b));
}

}  // namespace rose::kernels
