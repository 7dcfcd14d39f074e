#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "rose/kernels/device/activation.cuh"
#include "rose/kernels/device/quad.cuh"
#include "rose/kernels/small_product_args.h"
#include "rose/kernels/small_product_exchange.cuh"

// What follows the sums of a small product: eight neighbouring outputs of two tokens in each
// thread.

namespace rose::kernels {

/// Outputs of a thread in one token's row.
inline constexpr int kRowSums = kPanelSums / 2;

template <Activation kActivation, int kCount>
__device__ __forceinline__ void ActivateAll(float (&x)[kCount]) {
#pragma unroll
  for (float& value : x) value = Activated<kActivation>(value);
}

/// One of those that ActivatesSmallProduct names.
template <int kCount>
__device__ __forceinline__ void Activate(Activation activation, float (&x)[kCount]) {
  switch (activation) {
    case Activation::kGeluTanh:
      return ActivateAll<Activation::kGeluTanh>(x);
    case Activation::kRelu:
      return ActivateAll<Activation::kRelu>(x);
    case Activation::kSilu:
      return ActivateAll<Activation::kSilu>(x);
    default:
      return ActivateAll<Activation::kGelu>(x);
  }
}

/// Bias of a block's weight rows, into shared memory as float32; zeros where there is none.
template <int kRows, bool kGated>
__device__ __forceinline__ void LoadBias(const SmallProductArgs& args, int tile, float* bias) {
  const int row = static_cast<int>(threadIdx.x);
  if (row >= kRows) return;
  const int64_t at = WeightRow(int64_t{tile} * kRows + row, args.out_features, kGated);
  float value = 0;
  if (args.bias != nullptr) {
    value = args.bias_is_float32
                ? static_cast<const float*>(args.bias)[at]
                : __bfloat162float(static_cast<const __nv_bfloat16*>(args.bias)[at]);
  }
  bias[row] = value;
}

/// 1 / rms(x) of a thread's two tokens, from the sums of squares.
class RowScales {
 public:
  /// Adds up this thread's share of the sums: a quarter.
  __device__ __forceinline__ void Load(const SmallProductArgs& args, int token, int lane) {
    const int parts = args.in_features / kPanelRows;
    const float* low = args.squares + int64_t{token} * parts;
    const float* high = low + int64_t{8} * parts;
#pragma unroll 2
    for (int i = lane % 4 * 4; i < parts; i += 16) {
      const float4 a = __ldcg(reinterpret_cast<const float4*>(low + i));
      const float4 b = __ldcg(reinterpret_cast<const float4*>(high + i));
      sums_[0] += (a.x + a.y) + (a.z + a.w);
      sums_[1] += (b.x + b.y) + (b.z + b.w);
    }
  }

  __device__ __forceinline__ void Finish(const SmallProductArgs& args) {
#pragma unroll
    for (float& sum : sums_) {
      sum = rsqrtf(QuadSum(sum) / static_cast<float>(args.in_features) + args.epsilon);
    }
  }

  __device__ float operator[](int row) const { return sums_[row]; }

 private:
  float sums_[2] = {0, 0};
};

/// A thread's part of the residual.
class Residual {
 public:
  __device__ __forceinline__ void Load(const SmallProductArgs& args, int token, int column) {
    const __nv_bfloat16* from = args.residual + int64_t{token} * args.out_features + column;
    rows_[0] = __ldcg(reinterpret_cast<const uint4*>(from));
    rows_[1] = __ldcg(reinterpret_cast<const uint4*>(from + int64_t{8} * args.out_features));
  }

  __device__ __forceinline__ void AddTo(float (&y)[kRowSums], int row) const {
    AddPairs(rows_[row], y);
  }

 private:
  uint4 rows_[2];
};

/// Eight outputs, rounded; where wanted, the sum of the squares of the panel's 32.
__device__ __forceinline__ void StoreRow(const SmallProductArgs& args, const float (&y)[kRowSums],
                                         int token, int column, bool squares) {
  const uint4 pairs = PackPairs(y);
  *reinterpret_cast<uint4*>(args.out + int64_t{token} * args.out_features + column) = pairs;
  if (!squares) return;
  const float sum = QuadSum(SquaresOf(pairs));
  if (column % kPanelRows == 0) {
    const int parts = args.out_features / kPanelRows;
    args.squares_out[int64_t{token} * parts + column / kPanelRows] = sum;
  }
}

/// A gate's four outputs, of the pairs (g, u) that the image has put next to each other.
__device__ __forceinline__ void StoreGatedRow(const SmallProductArgs& args,
                                              const float (&y)[kRowSums], int token, int column) {
  float gated[kRowSums / 2];
#pragma unroll
  for (int i = 0; i < kRowSums / 2; ++i) gated[i] = y[2 * i];
  Activate(args.activation, gated);
#pragma unroll
  for (int i = 0; i < kRowSums / 2; ++i) gated[i] *= y[2 * i + 1];
  const uint2 pairs = {PackPair(gated[0], gated[1]), PackPair(gated[2], gated[3])};
  const int64_t at = int64_t{token} * (args.out_features / 2) + column / 2;
  *reinterpret_cast<uint2*>(args.out + at) = pairs;
}

}  // namespace rose::kernels
