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

/// What the columns of a block add and multiply, in shared memory.
template <int kRows>
struct alignas(16) ColumnTerms {
  float bias[kRows];
  float slope[kRows];  ///< Of a layer norm: its weight for the residual, else the weight's sums.
};

__device__ __forceinline__ float BiasAt(const SmallProductArgs& args, int64_t at) {
  if (args.bias == nullptr) return 0;
  if (args.bias_is_float32) return static_cast<const float*>(args.bias)[at];
  return __bfloat162float(static_cast<const __nv_bfloat16*>(args.bias)[at]);
}

template <int kRows, SmallProductForm kForm, SmallProductNorm kNorm>
__device__ __forceinline__ void LoadColumnTerms(const SmallProductArgs& args, int tile,
                                                ColumnTerms<kRows>& terms) {
  constexpr bool kOfResidual = kForm == SmallProductForm::kResidual;
  const auto row = static_cast<int>(threadIdx.x);
  if (row >= kRows) return;
  const int64_t at =
      WeightRow(int64_t{tile} * kRows + row, args.out_features, kForm == SmallProductForm::kGate);
  float bias = BiasAt(args, at);
  if constexpr (kNorm == SmallProductNorm::kLayer) {
    if (kOfResidual && args.norm_bias != nullptr) bias += args.norm_bias[at];
    terms.slope[row] = kOfResidual ? args.norm_weight[at] : args.weight_sums[at];
  }
  terms.bias[row] = bias;
}

/// Mean and scale of a thread's two tokens, from the sums over their rows' panels.
template <SmallProductNorm kNorm>
class RowMoments {
 public:
  /// Adds up this thread's quarter of the sums of rows of `width`.
  __device__ __forceinline__ void Load(const float* row_sums, int width, int token, int lane) {
    const auto cols = static_cast<int>(RowSumsCols(kNorm, width));
    const float* low = row_sums + int64_t{token} * cols;
    const float* high = low + int64_t{8} * cols;
#pragma unroll 2
    for (int i = lane % 4 * 4; i < cols; i += 16) {
      Add(__ldcg(reinterpret_cast<const float4*>(low + i)), 0);
      Add(__ldcg(reinterpret_cast<const float4*>(high + i)), 1);
    }
  }

  __device__ __forceinline__ void Finish(int width, float epsilon) {
    const float inverse = 1 / static_cast<float>(width);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      float variance = QuadSum(squares_[row]) * inverse;
      if constexpr (kNorm == SmallProductNorm::kLayer) {
        means_[row] = QuadSum(means_[row]) * inverse;
        variance = fmaxf(variance - means_[row] * means_[row], 0);
      }
      squares_[row] = rsqrtf(variance + epsilon);
    }
  }

  __device__ float mean(int row) const { return means_[row]; }
  __device__ float scale(int row) const { return squares_[row]; }

 private:
  __device__ __forceinline__ void Add(float4 sums, int row) {
    if constexpr (kNorm == SmallProductNorm::kLayer) {
      means_[row] += sums.x + sums.z;
      squares_[row] += sums.y + sums.w;
    } else {
      squares_[row] += (sums.x + sums.y) + (sums.z + sums.w);
    }
  }

  float means_[2] = {0, 0};    ///< Before Finish: sums.
  float squares_[2] = {0, 0};  ///< After Finish: scales.
};

/// A thread's part of the residual: eight neighbours of each of its two tokens.
class Residual {
 public:
  __device__ __forceinline__ void Load(const SmallProductArgs& args, int token, int column) {
    const __nv_bfloat16* from = args.residual + int64_t{token} * args.out_features + column;
    rows_[0] = __ldcg(reinterpret_cast<const uint4*>(from));
    rows_[1] = __ldcg(reinterpret_cast<const uint4*>(from + int64_t{8} * args.out_features));
  }

  /// Adds it, or what a layer norm makes of it except for the norm's bias.
  template <SmallProductNorm kNorm>
  __device__ __forceinline__ void AddTo(float (&y)[kRowSums], int row,
                                        const RowMoments<kNorm>& moments,
                                        const float* slope) const {
    float values[kRowSums] = {};
    AddPairs(rows_[row], values);
#pragma unroll
    for (int i = 0; i < kRowSums; ++i) {
      if constexpr (kNorm == SmallProductNorm::kLayer) {
        values[i] = (values[i] - moments.mean(row)) * moments.scale(row) * slope[i];
      }
      y[i] += values[i];
    }
  }

 private:
  uint4 rows_[2];
};

/// y of one token: sums, with what a norm of x does to them, and the bias.
template <SmallProductNorm kNorm>
__device__ __forceinline__ void Finish(const float (&sums)[kPanelSums], int row,
                                       const RowMoments<kNorm>& moments, const float* bias,
                                       const float* slope, float (&y)[kRowSums]) {
#pragma unroll
  for (int i = 0; i < kRowSums; ++i) {
    float sum = sums[i / 2 * 4 + row * 2 + i % 2];
    if constexpr (kNorm == SmallProductNorm::kLayer) sum -= moments.mean(row) * slope[i];
    if constexpr (kNorm != SmallProductNorm::kNone) sum *= moments.scale(row);
    y[i] = sum + bias[i];
  }
}

/// Eight outputs, rounded.
__device__ __forceinline__ uint4 StoreRow(const SmallProductArgs& args, const float (&y)[kRowSums],
                                          int token, int column) {
  const uint4 pairs = PackPairs(y);
  *reinterpret_cast<uint4*>(args.out + int64_t{token} * args.out_features + column) = pairs;
  return pairs;
}

/// The sums over a panel's 32 outputs of one token, for the norm that follows. The whole warp
/// calls.
__device__ __forceinline__ void StoreRowSums(const SmallProductArgs& args, uint4 pairs, int token,
                                             int column) {
  const int64_t at = int64_t{token} * (args.out_features / kPanelRows) + column / kPanelRows;
  const float squares = QuadSum(SquaresOf(pairs));
  const float sum = QuadSum(SumOf(pairs));
  if (column % kPanelRows != 0) return;
  if (args.sums_for_layer_norm) {
    reinterpret_cast<float2*>(args.row_sums_out)[at] = {sum, squares};
  } else {
    args.row_sums_out[at] = squares;
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
