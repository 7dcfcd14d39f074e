#pragma once

#include <cstdint>

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/attention.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// Whether ShortAttention computes this on a device of compute capability `sm`: bfloat16, head dim
/// 64 or 128, no window and no bias; both heads turned as a whole or none, and both normed by root
/// mean squares, before they are turned, or none.
bool SupportsShortAttention(const AttentionParams& params, const HeadNormRopeParams& heads,
                            DType dtype, int sm);

/// Whether ShortAttention is thought faster than HeadNormRope, where there is one, and Attention
/// with its plan: for few tokens (docs/kernels/attention_cuda.md).
bool PrefersShortAttention(const AttentionParams& params, const HeadNormRopeParams& heads,
                           DType dtype, const AttentionShape& shape, int sm);

/// Queries that a block takes, of all heads that share a key head: 16, 32 or 64.
int ShortAttentionRows(const AttentionParams& params, const AttentionShape& shape);

/// HeadNormRope and Attention of Ops in one kernel without a plan, made for steps of few tokens and
/// right for all. qkv and out as for Attention; qkv stays as it is: queries and keys are normed and
/// turned on the way, and rounded once. Rows of padding are neither read nor written, and a
/// sequence's rows depend on its own alone, whatever stands in others.
///
/// `shape.longest` is a hint to PrefersShortAttention alone. `rows` is for benches; 0:
/// ShortAttentionRows.
///
/// launch.overlap: cu_seqlens, position_ids and the table are read before the wait. FetchStep's are
/// complete behind any kernel of ours that follows it, so leave it off only where the kernel just
/// ahead is the one that writes them.
cudaError_t ShortAttention(const Launch& launch, const AttentionParams& params,
                           const HeadNormRopeParams& heads, const AttentionShape& shape,
                           const int32_t* cu_seqlens, Tensor qkv, Tensor out, int rows = 0);

}  // namespace rose::kernels
