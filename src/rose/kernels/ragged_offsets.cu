#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/ragged_offsets.h"

namespace rose::kernels {
namespace {

constexpr int kThreads = 256;

struct RaggedParams {
  const int32_t* cu_seqlens;
  int32_t sequences;
  int32_t qkv_cols;
  int32_t out_cols;
  RaggedOffsets offsets;
};

__global__ void FindRaggedOffsetsKernel(RaggedParams p) {
  WaitForPredecessor();
  const int s = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (s > p.sequences) return;
  const int32_t begin = p.cu_seqlens[s];
  p.offsets.qkv_offsets[s] = begin * p.qkv_cols;
  p.offsets.out_offsets[s] = begin * p.out_cols;
  if (s < p.sequences) p.offsets.lengths[s] = p.cu_seqlens[s + 1] - begin;
}

}  // namespace

cudaError_t FindRaggedOffsets(const Launch& launch, const int32_t* cu_seqlens, int64_t sequences,
                              int64_t qkv_cols, int64_t out_cols, const RaggedOffsets& offsets) {
  const auto blocks = static_cast<unsigned>(sequences / kThreads + 1);
  return LaunchKernel(launch, FindRaggedOffsetsKernel, blocks, kThreads, /*shared_bytes=*/0,
                      RaggedParams{.cu_seqlens = cu_seqlens,
                                   .sequences = static_cast<int32_t>(sequences),
                                   .qkv_cols = static_cast<int32_t>(qkv_cols),
                                   .out_cols = static_cast<int32_t>(out_cols),
                                   .offsets = offsets});
}

}  // namespace rose::kernels
