#pragma once

#include <cstdint>

// Four neighbouring lanes, as the tensor cores' layouts have them, and pairs of bfloat16.

namespace rose::kernels {

/// The sum over the lane's quad, in each of its lanes. The whole warp calls.
__device__ __forceinline__ float QuadSum(float value) {
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  return value + __shfl_xor_sync(0xffffffffu, value, 2);
}

/// Two bfloat16, rounded to nearest even.
__device__ __forceinline__ uint32_t PackPair(float low, float high) {
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ __forceinline__ float LowOf(uint32_t pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float HighOf(uint32_t pair) {
  return __uint_as_float(pair & 0xffff0000u);
}

__device__ __forceinline__ float SumOf(uint32_t pair) { return LowOf(pair) + HighOf(pair); }
__device__ __forceinline__ float SumOf(uint4 pairs) {
  return SumOf(pairs.x) + SumOf(pairs.y) + SumOf(pairs.z) + SumOf(pairs.w);
}
__device__ __forceinline__ float SquaresOf(uint32_t pair) {
  return LowOf(pair) * LowOf(pair) + HighOf(pair) * HighOf(pair);
}
__device__ __forceinline__ float SquaresOf(uint4 pairs) {
  return SquaresOf(pairs.x) + SquaresOf(pairs.y) + SquaresOf(pairs.z) + SquaresOf(pairs.w);
}

/// Adds eight bfloat16 to as many numbers.
__device__ __forceinline__ void AddPairs(uint4 pairs, float* to) {
  to[0] += LowOf(pairs.x), to[1] += HighOf(pairs.x);
  to[2] += LowOf(pairs.y), to[3] += HighOf(pairs.y);
  to[4] += LowOf(pairs.z), to[5] += HighOf(pairs.z);
  to[6] += LowOf(pairs.w), to[7] += HighOf(pairs.w);
}
__device__ __forceinline__ uint4 PackPairs(const float* from) {
  return {PackPair(from[0], from[1]), PackPair(from[2], from[3]), PackPair(from[4], from[5]),
          PackPair(from[6], from[7])};
}

}  // namespace rose::kernels
