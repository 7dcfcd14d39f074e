#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/device/vector.cuh"
#include "rose/kernels/device/warp_mma.cuh"
#include "rose/kernels/short_attention_args.h"

// Where a block of ShortAttention finds its queries, and how rows of heads come into shared memory
// and are normed and turned there.

namespace rose::kernels {

using Bf16 = __nv_bfloat16;

/// Of one sequence and one head of keys. The rows of queries are those of a token's heads that
/// share it, side by side, token behind token.
struct ShortTile {
  int row;     ///< Of the sequence's first token.
  int length;  ///< Of the sequence; 0: there is no such tile.
  int first;   ///< Query row of the sequence.
  int kv_head;
};

/// A number that a kernel far ahead has written: past the L1 cache, and not moved behind the wait.
__device__ __forceinline__ int ReadEarly(const int32_t* from) {
  return *static_cast<const volatile int32_t*>(from);
}

/// The tile of this block, found by each warp for itself. A sequence's last tile, which sees most
/// keys where they are masked, comes first.
template <int kRows>
__device__ ShortTile FindShortTile(const ShortAttentionArgs& a) {
  const auto tile = static_cast<int>(a.kv_heads.Quotient(blockIdx.x));
  const int kv_head = static_cast<int>(blockIdx.x) - tile * a.rows.kv_heads;
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const auto group = static_cast<int>(a.group.divisor());
  int before = 0;
  for (int first = 0; first < a.sequences; first += kWarpSize) {
    const int begin = ReadEarly(a.cu_seqlens + min(first + lane, a.sequences));
    const int end = ReadEarly(a.cu_seqlens + min(first + lane + 1, a.sequences));
    int through = ((end - begin) * group + kRows - 1) / kRows;
#pragma unroll
    for (int offset = 1; offset < kWarpSize; offset *= 2) {
      const int below = __shfl_up_sync(kWholeWarp, through, offset);
      if (lane >= offset) through += below;
    }
    through += before;
    const unsigned found = __ballot_sync(kWholeWarp, through > tile);
    if (found != 0) {
      const int owner = __ffs(static_cast<int>(found)) - 1;
      const int last = __shfl_sync(kWholeWarp, through, owner) - 1;
      const int row = __shfl_sync(kWholeWarp, begin, owner);
      const int length = __shfl_sync(kWholeWarp, end, owner) - row;
      return {.row = row, .length = length, .first = (last - tile) * kRows, .kv_head = kv_head};
    }
    before = __shfl_sync(kWholeWarp, through, kWarpSize - 1);
  }
  return {.row = 0, .length = 0, .first = 0, .kv_head = kv_head};
}

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

  /// Begins to copy this thread's part of a row, or zeros.
  __device__ void Copy(const Bf16* from, bool read, Bf16* to) const {
    CopyOrZero(to + at, read ? from + at : from, read);
    CopyOrZero(to + at + kHalf, read ? from + at + kHalf : from, read);
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
