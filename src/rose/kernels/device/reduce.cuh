#pragma once

namespace rose::kernels {

constexpr int kWarpSize = 32;
constexpr unsigned kWholeWarp = 0xffffffffu;

/// The sum of the lanes that differ in the bits below `lanes` (a power of two), in each of them.
/// The whole warp calls.
template <typename Number>
__device__ __forceinline__ Number LanesSum(Number value, int lanes = kWarpSize) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    if (offset < lanes) value += __shfl_xor_sync(kWholeWarp, value, offset);
  }
  return value;
}

/// The sum over the threads of a block that have this threadIdx.y, in each of them, in an order
/// that depends on blockDim alone. Either blockDim.x is one warp or blockDim.y is 1. `partials` is
/// shared memory for a number a warp that nothing else uses until the block's next barrier.
template <typename Number>
__device__ __forceinline__ Number RowSum(Number value, Number* partials) {
  value = LanesSum(value);
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;
  if (warps == 1) return value;
  if (threadIdx.x % kWarpSize == 0) partials[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  value = partials[0];
#pragma unroll 4
  for (int warp = 1; warp < warps; ++warp) value += partials[warp];
  return value;
}

/// The larger; NaN if one of them is.
__device__ __forceinline__ float LargerOrNan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

}  // namespace rose::kernels
