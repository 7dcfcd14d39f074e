#include "rose/cuda/cudnn_attention.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "rose/cuda/status.h"

namespace rose::cuda {
namespace {

constexpr int64_t kLongestMin = 128;

/// int32 of an array of offsets or lengths: whole vectors, as cuDNN takes its tensors to be
/// aligned.
int64_t ArrayElements(int64_t sequences_max) { return (sequences_max + 1 + 63) / 64 * 64; }

}  // namespace

absl::StatusOr<std::unique_ptr<CudnnAttention>> CudnnAttention::Create(
    const kernels::AttentionShape& largest) {
  ASSIGN_OR_RETURN(std::unique_ptr<CudnnLibrary> library, CudnnLibrary::Open());
  return std::unique_ptr<CudnnAttention>(new CudnnAttention(std::move(library), largest.sequences));
}

bool CudnnAttention::Supports(const AttentionParams& params, DType dtype,
                              const kernels::AttentionShape& largest) {
  return dtype == DType::kBFloat16 && (params.head_dim == 64 || params.head_dim == 128) &&
         params.window == 0 && params.position_bias.data == nullptr &&
         params.paged_keys == nullptr && largest.tokens * params.qkv_cols() < int64_t{1} << 31;
}

int64_t CudnnAttention::LongestBound(const kernels::AttentionShape& shape) {
  const int64_t longest = shape.longest == 0 ? shape.tokens : shape.longest;
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(longest, kLongestMin))));
}

void CudnnAttention::BeginStep(const kernels::AttentionShape& shape) {
  shape_ = shape;
  for (Offsets& offsets : offsets_) offsets.found = false;
}

absl::StatusOr<const CudnnAttention::Plan*> CudnnAttention::FindPlan(
    const AttentionParams& params) {
  const CudnnGraphKind kind = {.heads = params.heads,
                               .kv_heads = params.key_value_heads(),
                               .head_dim = params.head_dim,
                               .scale = params.scale,
                               .mask = params.mask,
                               .sequences = shape_.sequences,
                               .longest = LongestBound(shape_)};
  for (const Plan& plan : plans_) {
    if (plan.kind == kind) return &plan;
  }
  ASSIGN_OR_RETURN(std::unique_ptr<CudnnGraph> graph, CudnnGraph::Build(*library_, kind));
  ASSIGN_OR_RETURN(DeviceMemory workspace,
                   DeviceMemory::Allocate(graph->workspace_bytes(), "cuDNN"));
  return &plans_.emplace_back(
      Plan{.kind = kind, .graph = std::move(graph), .workspace = std::move(workspace)});
}

absl::StatusOr<CudnnAttention::Offsets*> CudnnAttention::FindOffsets(int64_t qkv_cols,
                                                                     int64_t out_cols) {
  for (Offsets& offsets : offsets_) {
    if (offsets.qkv_cols == qkv_cols && offsets.out_cols == out_cols) return &offsets;
  }
  const int64_t bytes = 3 * ArrayElements(sequences_max_) * int64_t{sizeof(int32_t)};
  ASSIGN_OR_RETURN(DeviceMemory memory, DeviceMemory::Allocate(bytes, "attention"));
  return &offsets_.emplace_back(
      Offsets{.qkv_cols = qkv_cols, .out_cols = out_cols, .memory = std::move(memory)});
}

kernels::RaggedOffsets CudnnAttention::ArraysOf(const Offsets& offsets) const {
  auto* const first = offsets.memory.as<int32_t>();
  const int64_t elements = ArrayElements(sequences_max_);
  return {.lengths = first, .qkv_offsets = first + elements, .out_offsets = first + 2 * elements};
}

absl::Status CudnnAttention::Run(const kernels::Launch& launch, const AttentionParams& params,
                                 const int32_t* cu_seqlens, Tensor qkv, Tensor out) {
  if (shape_.sequences == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Plan* plan, FindPlan(params));
  ASSIGN_OR_RETURN(Offsets * offsets, FindOffsets(qkv.cols, out.cols));
  const kernels::RaggedOffsets arrays = ArraysOf(*offsets);
  if (!offsets->found) {
    RETURN_IF_CUDA_ERROR(kernels::FindRaggedOffsets(launch, cu_seqlens, shape_.sequences, qkv.cols,
                                                    out.cols, arrays),
                         "offsets for cuDNN");
    offsets->found = true;
  }
  const auto* const q = static_cast<const std::byte*>(qkv.data);
  const int64_t head_bytes = params.head_dim * static_cast<int64_t>(SizeOf(qkv.dtype));
  const std::byte* const k = q + params.heads * head_bytes;
  return plan->graph->Run(launch.stream, {.q = q,
                                          .k = k,
                                          .v = k + params.key_value_heads() * head_bytes,
                                          .out = out.data,
                                          .lengths = arrays.lengths,
                                          .qkv_offsets = arrays.qkv_offsets,
                                          .out_offsets = arrays.out_offsets,
                                          .workspace = plan->workspace.data()});
}

}  // namespace rose::cuda
