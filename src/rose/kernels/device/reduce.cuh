#pragma once

#include <cstring>

namespace rose::kernels {

constexpr int kWarpSize = 32;
constexpr unsigned kWholeWarp = 0xffffffffu;

/// Each of the numbers becomes its sum over the lanes that differ in the bits below `lanes` (a
/// power of two). The whole warp calls.
template <int kCount, typename Number>
__device__ __forceinline__ void SumLanes(Number (&values)[kCount], int lanes = kWarpSize) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    if (offset >= lanes) continue;
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] += __shfl_xor_sync(kWholeWarp, values[i], offset);
  }
}

/// The same of one number, as a value.
template <typename Number>
__device__ __forceinline__ Number LanesSum(Number value, int lanes = kWarpSize) {
  Number values[1] = {value};
  SumLanes(values, lanes);
  return values[0];
}

/// Shared memory for the sums of a block's warps, one number each.
template <typename Number, int kThreadsMax>
struct alignas(16) WarpSums {
  static constexpr int kGroup = 4;  ///< As many are read at once.
  static constexpr int kGroups = (kThreadsMax / kWarpSize + kGroup - 1) / kGroup;

  Number values[kGroups][kGroup];
};

/// The sum over the `threads` of a block, whole warps, in each of them, in an order that depends on
/// nothing but their number. `thread` counts them by warps. Nothing else may use `sums` until the
/// block's next barrier.
template <typename Number, int kThreadsMax>
__device__ __forceinline__ Number BlockSum(Number value, int thread, int threads,
                                           WarpSums<Number, kThreadsMax>& sums) {
  using Sums = WarpSums<Number, kThreadsMax>;
  value = LanesSum(value);
  const int warps = threads / kWarpSize;
  if (thread % kWarpSize == 0) {
    const int warp = thread / kWarpSize;
    sums.values[warp / Sums::kGroup][warp % Sums::kGroup] = value;
  }
  __syncthreads();
  value = 0;
#pragma unroll
  for (int group = 0; group < Sums::kGroups; ++group) {
    if (group * Sums::kGroup >= warps) break;
    Number part[Sums::kGroup];
    memcpy(part, sums.values[group], sizeof part);
#pragma unroll
    for (int i = 0; i < Sums::kGroup; ++i) {
      if (group * Sums::kGroup + i < warps) value += part[i];
    }
  }
  return value;
}

/// The same over the threads that have this threadIdx.y. Either blockDim.x is one warp, which needs
/// no barrier, or blockDim.y is 1.
template <typename Number, int kThreadsMax>
__device__ __forceinline__ Number RowSum(Number value, WarpSums<Number, kThreadsMax>& sums) {
  const auto threads = static_cast<int>(blockDim.x);
  if (threads == kWarpSize) return LanesSum(value);
  return BlockSum(value, static_cast<int>(threadIdx.x), threads, sums);
}

/// The larger; NaN if one of them is.
__device__ __forceinline__ float LargerOrNan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

}  // namespace rose::kernels
