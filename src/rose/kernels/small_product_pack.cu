#include <cstdint>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/small_product.h"
#include "rose/kernels/small_product_layout.h"

namespace rose::kernels {
namespace {

/// A thread makes a chunk of 16 bytes of the image from four pairs of a weight row.
__global__ void PackSmallProductKernel(const uint16_t* weight, int64_t out_features,
                                       int64_t in_features, bool gated, uint4* packed) {
  constexpr int kChunks = kStageRowBytes / 16;
  WaitForPredecessor();
  TriggerSuccessor();
  const int64_t chunk = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (chunk >= out_features * in_features / 8) return;
  const int64_t stages = in_features / kStageColumns;
  const int place = static_cast<int>(chunk % kChunks);
  const int at = static_cast<int>(chunk / kChunks % kPanelRows);
  const int64_t stage = chunk / (kChunks * kPanelRows) % stages;
  const int64_t panel = chunk / (kChunks * kPanelRows) / stages;
  const int64_t row = WeightRow(panel * kPanelRows + PanelRow(at), out_features, gated);
  const int64_t column = stage * kStageColumns + ChunkColumn(at, place);
  const auto* pairs = reinterpret_cast<const uint32_t*>(weight + row * in_features + column);
  packed[chunk] = {pairs[0], pairs[4], pairs[8], pairs[12]};
}

}  // namespace

cudaError_t PackSmallProduct(const Launch& launch, Tensor weight, bool gated, void* packed) {
  constexpr int64_t kThreads = 256;
  if (weight.dtype != DType::kBFloat16 || weight.rows % kPanelRows != 0 ||
      weight.cols % kStageColumns != 0) {
    return cudaErrorInvalidValue;
  }
  const int64_t chunks = weight.elements() / 8;
  return LaunchKernel(launch, PackSmallProductKernel,
                      dim3(static_cast<unsigned>((chunks + kThreads - 1) / kThreads)),
                      dim3(kThreads), 0, static_cast<const uint16_t*>(weight.data), weight.rows,
                      weight.cols, gated, static_cast<uint4*>(packed));
}

}  // namespace rose::kernels
