#include "rose/kernels/short_attention.h"

#include <cstddef>

#include "rose/kernels/attention_tiles.h"
#include "rose/kernels/short_attention_args.h"

namespace rose::kernels {
namespace {

ShortAttentionArgs ArgsOf(const AttentionParams& params, const HeadNormRopeParams& heads,
                          const AttentionShape& shape, const int32_t* cu_seqlens, Tensor qkv,
                          Tensor out) {
  const int kv_heads = params.key_value_heads();
  const auto* q = static_cast<const std::byte*>(qkv.data);
  const int64_t column_bytes = int64_t{params.head_dim} * static_cast<int64_t>(SizeOf(qkv.dtype));
  const auto element = [](const Tensor& weight) { return static_cast<const float*>(weight.data); };
  return {.rows = {.q = q,
                   .k = q + params.heads * column_bytes,
                   .v = q + (params.heads + kv_heads) * column_bytes,
                   .out = out.data,
                   .row_stride = qkv.cols,
                   .tokens = static_cast<int32_t>(qkv.rows),
                   .heads = params.heads,
                   .kv_heads = kv_heads,
                   .head_dim = params.head_dim,
                   .scale = params.scale},
          .cu_seqlens = cu_seqlens,
          .sequences = static_cast<int32_t>(shape.sequences),
          .causal = params.mask == AttentionMask::kCausal,
          .kv_heads = Divisor(static_cast<uint32_t>(kv_heads)),
          .group = Divisor(static_cast<uint32_t>(params.heads / kv_heads)),
          .q_weight = element(heads.q_norm.weight),
          .k_weight = element(heads.k_norm.weight),
          .q_epsilon = heads.q_norm.epsilon,
          .k_epsilon = heads.k_norm.epsilon,
          .table = element(heads.rope.table),
          .position_ids = heads.position_ids.data()};
}

}  // namespace

cudaError_t ShortAttention(const Launch& launch, const AttentionParams& params,
                           const HeadNormRopeParams& heads, const AttentionShape& shape,
                           const int32_t* cu_seqlens, Tensor qkv, Tensor out, int rows) {
  if (qkv.rows == 0 || shape.sequences == 0) return cudaSuccess;
  if (rows == 0) rows = ShortAttentionRows(params, shape);
  const ShortAttentionArgs args = ArgsOf(params, heads, shape, cu_seqlens, qkv, out);
  const TileGrid grid{.rows = rows, .group = params.heads / params.key_value_heads()};
  const auto blocks = static_cast<unsigned>(TilesAtMost(grid, shape) * params.key_value_heads());
  if (params.head_dim == 64) return ShortAttention64(launch, args, rows, blocks);
  if (params.head_dim == 128) return ShortAttention128(launch, args, rows, blocks);
  return cudaErrorNotSupported;
}

}  // namespace rose::kernels
