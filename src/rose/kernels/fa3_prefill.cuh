#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cutlass/numeric_types.h>

#include <flashinfer/attention/hopper/default_params.cuh>
#include <flashinfer/attention/hopper/prefill_sm90.cuh>
#include <flashinfer/attention/hopper/variants.cuh>
#include <flashinfer/attention/mask.cuh>

#include "rose/kernels/fa3.h"

namespace rose::kernels {

using Fa3Params = flashinfer::BatchPrefillRaggedParams<cutlass::bfloat16_t, cutlass::bfloat16_t,
                                                       cutlass::bfloat16_t, int32_t>;

/// FlashInfer takes pointers to what it only reads as mutable.
inline Fa3Params MakeFa3Params(const AttentionArgs& args, const Fa3Plan& plan) {
  Fa3Params p = {};
  p.q_ptr = static_cast<cutlass::bfloat16_t*>(const_cast<void*>(args.q));
  p.k_ptr = static_cast<cutlass::bfloat16_t*>(const_cast<void*>(args.k));
  p.v_ptr = static_cast<cutlass::bfloat16_t*>(const_cast<void*>(args.v));
  p.o_ptr = static_cast<cutlass::bfloat16_t*>(args.out);
  p.work_indptr = const_cast<int32_t*>(plan.begins);
  p.qo_tile_indices = const_cast<int32_t*>(plan.tiles);
  p.head_indices = const_cast<int32_t*>(plan.heads);
  p.qo_indptr = p.kv_indptr = const_cast<int32_t*>(plan.rows);
  p.qo_lens = p.kv_lens = const_cast<int32_t*>(plan.lengths);
  p.batch_indices = const_cast<int32_t*>(plan.tiles);  // Read, but used by other masks alone.
  p.additional_params.sm_scale = args.scale;
  p.q_stride_n = p.k_stride_n = p.v_stride_n = args.row_stride;
  p.o_stride_n = int64_t{args.heads} * args.head_dim;
  p.q_stride_h = p.k_stride_h = p.v_stride_h = p.o_stride_h = args.head_dim;
  p.nnz_qo = p.nnz_kv = args.tokens;
  p.num_qo_heads = args.heads;
  p.num_kv_heads = args.kv_heads;
  p.group_size = args.heads / args.kv_heads;
  p.window_left = -1;
  return p;
}

/// `kRows` queries meet `kKeys` keys at a time.
template <int kHeadDim, bool kCausal, int kRows, int kKeys>
cudaError_t Fa3Prefill(const AttentionArgs& args, const Fa3Plan& plan, cudaStream_t stream) {
  using Element = cutlass::bfloat16_t;
  using Traits =
      flashinfer::AttentionKernelTraits</*USE_TMA_LOAD_KV=*/true, kHeadDim, kHeadDim, kRows, kKeys,
                                        /*NUM_STAGES=*/2, Element, Element, Element, int32_t,
                                        flashinfer::StandardAttention>;
  Fa3Params params = MakeFa3Params(args, plan);
  params.causal = kCausal;
  const cudaError_t error = flashinfer::BatchPrefillWithRaggedKVCacheKernelTraitsDispatched<
      Traits, /*LEFT_SLIDING_WINDOW=*/false, kCausal, /*SAME_SCHEDULE_FOR_ALL_HEADS=*/false>(
      params, stream);
  return error == cudaSuccess ? cudaGetLastError() : error;
}

}  // namespace rose::kernels
