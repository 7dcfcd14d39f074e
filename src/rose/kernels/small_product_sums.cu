#include <cuda_bf16.h>

#include <cstdint>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/quad.cuh"
#include "rose/kernels/small_product.h"

namespace rose::kernels {
namespace {

constexpr int64_t kThreads = 128;

dim3 BlocksFor(int64_t threads) {
  return dim3(static_cast<unsigned>((threads + kThreads - 1) / kThreads));
}

/// A quad takes a panel's width of a row, 16 bytes each.
template <SmallProductNorm kNorm>
__global__ void RowSumsKernel(const uint4* x, int64_t pieces, float* row_sums) {
  WaitForPredecessor();
  TriggerSuccessor();
  const int64_t piece = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const uint4 pairs = piece < pieces ? x[piece] : uint4{};
  const float squares = QuadSum(SquaresOf(pairs)), sum = QuadSum(SumOf(pairs));
  if (piece >= pieces || piece % 4 != 0) return;
  if constexpr (kNorm == SmallProductNorm::kLayer) {
    reinterpret_cast<float2*>(row_sums)[piece / 4] = {sum, squares};
  } else {
    row_sums[piece / 4] = squares;
  }
}

/// A quad takes a weight row.
__global__ void FoldLayerNormKernel(const float* norm_weight, const float* norm_bias,
                                    const uint4* weight, int64_t rows, int64_t cols,
                                    const void* bias, bool bias_is_float32, float* weight_sums,
                                    float* folded_bias) {
  WaitForPredecessor();
  TriggerSuccessor();
  const int64_t thread = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, row = thread / 4;
  float weighted = 0, biased = 0;
  for (int64_t piece = thread % 4; row < rows && piece < cols / 8; piece += 4) {
    float values[8] = {};
    AddPairs(weight[row * (cols / 8) + piece], values);
    for (int i = 0; i < 8; ++i) {
      // As the product rounds it.
      const float scale = __bfloat162float(__float2bfloat16_rn(norm_weight[piece * 8 + i]));
      weighted += scale * values[i];
      if (norm_bias != nullptr) biased += norm_bias[piece * 8 + i] * values[i];
    }
  }
  weighted = QuadSum(weighted);
  biased = QuadSum(biased);
  if (row >= rows || thread % 4 != 0) return;
  if (bias != nullptr) {
    biased += bias_is_float32 ? static_cast<const float*>(bias)[row]
                              : __bfloat162float(static_cast<const __nv_bfloat16*>(bias)[row]);
  }
  weight_sums[row] = weighted;
  folded_bias[row] = biased;
}

}  // namespace

cudaError_t RowSums(const Launch& launch, SmallProductNorm norm, Tensor x, Tensor row_sums) {
  if (x.cols % kPanelRows != 0 || norm == SmallProductNorm::kNone) return cudaErrorInvalidValue;
  const auto kernel = norm == SmallProductNorm::kLayer ? RowSumsKernel<SmallProductNorm::kLayer>
                                                       : RowSumsKernel<SmallProductNorm::kRms>;
  const int64_t pieces = x.elements() / 8;
  return LaunchKernel(launch, kernel, BlocksFor(pieces), dim3(kThreads), 0,
                      static_cast<const uint4*>(x.data), pieces,
                      static_cast<float*>(row_sums.data));
}

cudaError_t FoldLayerNorm(const Launch& launch, const NormParams& norm, Tensor weight, Tensor bias,
                          Tensor weight_sums, Tensor folded_bias) {
  if (weight.cols % 8 != 0 || weight.dtype != DType::kBFloat16) return cudaErrorInvalidValue;
  return LaunchKernel(launch, FoldLayerNormKernel, BlocksFor(weight.rows * 4), dim3(kThreads), 0,
                      static_cast<const float*>(norm.weight.data),
                      static_cast<const float*>(norm.bias.data),
                      static_cast<const uint4*>(weight.data), weight.rows, weight.cols, bias.data,
                      bias.dtype == DType::kFloat32, static_cast<float*>(weight_sums.data),
                      static_cast<float*>(folded_bias.data));
}

}  // namespace rose::kernels
