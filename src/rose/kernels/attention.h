#pragma once

#include <cstdint>

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// Who computes attention. All give the same numbers up to rounding.
enum class AttentionBackend : uint8_t {
  kSimple,  ///< Ours, for everything: any head dim, window, bias, dtype. The oracle of the others.
  kFa2,     ///< FlashInfer's mma.sync kernels (FlashAttention 2).
  kFa3,     ///< FlashInfer's Hopper kernels (FlashAttention 3): wgmma and TMA.
};

/// What is known of a step before it runs: no lengths, since those stand on the device.
struct AttentionShape {
  int64_t tokens = 0;     ///< Rows of qkv, padding included.
  int64_t sequences = 0;  ///< cu_seqlens has one more. Any of them may be empty.
  /// Sequences are expected to have at most this many tokens; 0: anything. It chooses tiles and
  /// backends: a longer sequence is computed as right, only slower.
  int64_t longest = 0;
};

/// Whether the backend computes this at all on a device of compute capability `sm` (90: Hopper).
/// kSimple computes everything with a head_dim of up to 256 whose keys are in qkv; keys in pages
/// (AttentionParams::paged_keys) none does.
bool Supports(AttentionBackend backend, const AttentionParams& params, DType dtype, int sm);

/// Whether steps of up to this size are within what the backend counts in 32 bits: elements of qkv
/// in kFa2.
bool Fits(AttentionBackend backend, const AttentionParams& params, const AttentionShape& shape);

/// The backend that was fastest for such shapes (docs/kernels/attention_cuda.md) among those that
/// support it and which it fits.
AttentionBackend ChooseAttention(const AttentionParams& params, DType dtype,
                                 const AttentionShape& shape, int sm);

/// Device memory, 16-byte aligned, that PlanAttention fills and Attention reads, for any step up to
/// `shape`.
int64_t AttentionWorkspaceBytes(AttentionBackend backend, const AttentionParams& params,
                                const AttentionShape& shape, int multiprocessors);

/// Lays out the work of a step from its lengths, on the device: among a graph's first nodes.
/// `cu_seqlens` [sequences + 1] in device memory, its last entry at most shape.tokens. One plan
/// serves all layers of one heads, kv_heads, head_dim and mask, whatever their window, scale and
/// bias.
cudaError_t PlanAttention(const Launch& launch, AttentionBackend backend,
                          const AttentionParams& params, const AttentionShape& shape,
                          const int32_t* cu_seqlens, int multiprocessors, void* workspace);

/// Attention of Ops over packed qkv [tokens × qkv_cols()], 16-byte aligned; out [tokens ×
/// heads·head_dim]. `shape` and `workspace` are PlanAttention's. Rows of padding are left
/// unwritten. Empty sequences cost kFa3 nothing; kSimple and kFa2 start a block a head for each
/// that there could be, which ends at once.
///
/// A sequence's rows depend on its own alone. In kFa3 there is one exception: it multiplies up to a
/// tile of values behind a sequence by 0, so these, a neighbour's or padding's, must be finite and
/// their sum too.
///
/// launch.overlap: kFa2 reads the plan before it waits, so leave it off where PlanAttention is the
/// kernel just ahead (behind any other of ours the plan is complete). kFa3 never overlaps.
cudaError_t Attention(const Launch& launch, AttentionBackend backend, const AttentionParams& params,
                      const AttentionShape& shape, const int32_t* cu_seqlens, const void* workspace,
                      Tensor qkv, Tensor out);

}  // namespace rose::kernels
