#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <flashinfer/attention/default_prefill_params.cuh>
#include <flashinfer/attention/prefill.cuh>
#include <flashinfer/attention/variants.cuh>

#include "rose/kernels/fa2.h"

namespace rose::kernels {

using Fa2Params =
    flashinfer::BatchPrefillRaggedParams<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, int32_t>;

/// Keys are never split between blocks. FlashInfer takes pointers to what it only reads as mutable.
inline Fa2Params MakeFa2Params(const AttentionArgs& args, const Fa2Plan& plan) {
  Fa2Params p;
  p.q = static_cast<__nv_bfloat16*>(const_cast<void*>(args.q));
  p.k = static_cast<__nv_bfloat16*>(const_cast<void*>(args.k));
  p.v = static_cast<__nv_bfloat16*>(const_cast<void*>(args.v));
  p.o = static_cast<__nv_bfloat16*>(args.out);
  p.q_indptr = p.kv_indptr = p.o_indptr = const_cast<int32_t*>(plan.cu_seqlens);
  p.num_qo_heads = args.heads;
  p.num_kv_heads = args.kv_heads;
  p.group_size = flashinfer::uint_fastdiv(args.heads / args.kv_heads);
  p.q_stride_n = p.k_stride_n = p.v_stride_n = static_cast<uint32_t>(args.row_stride);
  p.q_stride_h = p.k_stride_h = p.v_stride_h = args.head_dim;
  p.window_left = -1;
  p.sm_scale = args.scale;
  p.request_indices = const_cast<int32_t*>(plan.sequences);
  p.qo_tile_indices = const_cast<int32_t*>(plan.tiles);
  p.kv_tile_indices = const_cast<int32_t*>(plan.zeros);
  p.kv_chunk_size_ptr = const_cast<int32_t*>(plan.one);
  p.block_valid_mask = const_cast<bool*>(plan.used);
  p.max_total_num_rows = args.tokens;
  p.padded_batch_size = static_cast<uint32_t>(plan.blocks);
  return p;
}

template <int kTileRows, int kHeadDim, flashinfer::MaskMode kMask>
cudaError_t Fa2PrefillTiled(const Fa2Params& params, bool overlap, cudaStream_t stream) {
  using Variant = flashinfer::DefaultAttention</*use_custom_mask=*/false,
                                               /*use_sliding_window=*/false,
                                               /*use_logits_soft_cap=*/false, /*use_alibi=*/false>;
  return flashinfer::BatchPrefillWithRaggedKVCacheDispatched<
      kTileRows, kHeadDim, kHeadDim, flashinfer::PosEncodingMode::kNone,
      /*USE_FP16_QK_REDUCTION=*/false, kMask, Variant, Fa2Params>(
      params, /*tmp_v=*/nullptr, /*tmp_s=*/nullptr, overlap, stream);
}

template <int kHeadDim, flashinfer::MaskMode kMask>
cudaError_t Fa2Prefill(const AttentionArgs& args, const Fa2Plan& plan, bool overlap,
                       cudaStream_t stream) {
  const Fa2Params params = MakeFa2Params(args, plan);
  switch (plan.rows) {
    case 16:
      return Fa2PrefillTiled<16, kHeadDim, kMask>(params, overlap, stream);
    case 64:
      return Fa2PrefillTiled<64, kHeadDim, kMask>(params, overlap, stream);
    default:
      return Fa2PrefillTiled<128, kHeadDim, kMask>(params, overlap, stream);
  }
}

}  // namespace rose::kernels
