#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "rose/kernels/device/activation.cuh"
#include "rose/kernels/device/quad.cuh"
#include "rose/kernels/tile_product_args.h"

// What a tile's sums begin with and what follows them, in the registers that hold them. A thread
// has pairs of neighbouring columns, its quad the other pairs; four lanes that exchange them have
// 16 bytes each to store, 64 together.

namespace rose::kernels {

struct NoActivation {
  static __device__ __forceinline__ float Of(float x) { return x; }
};
template <Activation kActivation>
struct ActivationOf {
  static __device__ __forceinline__ float Of(float x) { return Activated<kActivation>(x); }
};
/// x Φ(x), within 1.2e-5 and, of what is beyond 1e-4, 8e-5 of itself: what is rounded to bfloat16
/// is seldom another for it, and at full load less arithmetic is higher clocks. As Gelu in
/// activation.cuh with a polynomial of lower degree, and x Φ(x) = max(x, 0) − |x| Φ(−|x|).
template <>
struct ActivationOf<Activation::kGelu> {
  static __device__ __forceinline__ float Of(float x) {
    const float t = fabsf(x);
    float p = -3.29530536e-4f;
    p = fmaf(p, t, 5.91514043e-3f);
    p = fmaf(p, t, -4.85327073e-2f);
    p = fmaf(p, t, -4.63722235e-1f);
    p = fmaf(p, t, -1.14936002f);
    p = fmaf(p, t, -1.00010761f);
    return fmaf(-t, Exp2(p), fmaxf(x, 0));
  }
};

/// A thread's row of a warpgroup's first 64, and of its second one, 8 below.
__device__ __forceinline__ int RowOfThread() {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  return thread / 32 * 16 + thread % 32 / 4;
}

/// Sums begin with the bias of their columns. `column` is the tile's first of the output.
template <bool kGated, int kProducts, int kSums>
__device__ __forceinline__ void BeginSums(const TileProductArgs& args, int column,
                                          float (&sums)[kProducts][kSums]) {
  constexpr int kBlocks = kSums / 4;  // Of eight columns.
  constexpr int kOutBlocks = kGated ? kBlocks / 2 : kBlocks;
  const int out_cols = kGated ? args.out_features / 2 : args.out_features;
#pragma unroll
  for (int block = 0; block < kBlocks; ++block) {
    uint32_t pair = 0;
    const int at = column + block % kOutBlocks * 8 + static_cast<int>(threadIdx.x) % 4 * 2;
    if (at < out_cols) {
      pair = __ldg(
          reinterpret_cast<const unsigned int*>(args.bias + block / kOutBlocks * out_cols + at));
    }
#pragma unroll
    for (int product = 0; product < kProducts; ++product) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        sums[product][4 * block + 2 * half] = LowOf(pair);
        sums[product][4 * block + 2 * half + 1] = HighOf(pair);
      }
    }
  }
}

/// Lane q of a quad gets what its lanes 0 … 3 have as number q. The whole warp calls.
__device__ __forceinline__ void TransposeInQuad(uint32_t (&words)[4]) {
#pragma unroll
  for (int step = 1; step < 4; step *= 2) {
    const bool odd = (threadIdx.x & step) != 0;
#pragma unroll
    for (int low = 0; low < 4; ++low) {
      if ((low & step) != 0) continue;
      uint32_t &a = words[low], &b = words[low + step];
      const uint32_t other = __shfl_xor_sync(0xffffffffu, odd ? a : b, step);
      if (odd) {
        a = other;
      } else {
        b = other;
      }
    }
  }
}

/// Two neighbouring outputs: of sums i and i + 1, and of a gate's second half.
template <bool kGated, typename ActivationOfForm, int kSums>
__device__ __forceinline__ uint32_t OutputPair(const float (&sums)[kSums], int i) {
  float low = ActivationOfForm::Of(sums[i]);
  float high = ActivationOfForm::Of(sums[i + 1]);
  if constexpr (kGated) {
    low *= sums[kSums / 2 + i];
    high *= sums[kSums / 2 + i + 1];
  }
  return PackPair(low, high);
}

/// Finishes and stores 64 rows: of this thread those at `row` and `row` + 8, from output column
/// `column` on.
template <bool kGated, typename ActivationOfForm, int kSums>
__device__ __forceinline__ void StoreTileRows(const TileProductArgs& args,
                                              const float (&sums)[kSums], int row, int column) {
  constexpr int kOutBlocks = kGated ? kSums / 8 : kSums / 4;
  const int out_cols = kGated ? args.out_features / 2 : args.out_features;
#pragma unroll
  for (int first = 0; first < kOutBlocks; first += 4) {
    const int at = column + 8 * (first + static_cast<int>(threadIdx.x) % 4);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      uint32_t words[4];
#pragma unroll
      for (int block = 0; block < 4; ++block) {
        words[block] = OutputPair<kGated, ActivationOfForm>(sums, 4 * (first + block) + 2 * half);
      }
      TransposeInQuad(words);
      const int to = row + 8 * half;
      if (to >= args.rows || at >= out_cols) continue;
      *reinterpret_cast<uint4*>(args.out + int64_t{to} * out_cols + at) = {words[0], words[1],
                                                                           words[2], words[3]};
    }
  }
}

}  // namespace rose::kernels
