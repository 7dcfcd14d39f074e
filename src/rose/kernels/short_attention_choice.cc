#include <algorithm>
#include <cstdint>

#include "rose/kernels/attention_tiles.h"
#include "rose/kernels/short_attention.h"

namespace rose::kernels {
namespace {

/// Whole vectors of float32 weights.
bool IsRmsNorm(const NormParams& norm, int head_dim) {
  return norm.kind == NormKind::kRms && norm.bias.data == nullptr && norm.weight.cols == head_dim &&
         reinterpret_cast<uintptr_t>(norm.weight.data) % 16 == 0;
}

int64_t Blocks(const AttentionParams& params, const AttentionShape& shape, int rows) {
  const int kv_heads = params.key_value_heads();
  return TilesAtMost({.rows = rows, .group = params.heads / kv_heads}, shape) * kv_heads;
}

}  // namespace

bool SupportsShortAttention(const AttentionParams& params, const HeadNormRopeParams& heads,
                            DType dtype, int sm) {
  if (sm < 80 || dtype != DType::kBFloat16) return false;
  if (params.head_dim != 64 && params.head_dim != 128) return false;
  if (params.window != 0 || params.position_bias.data != nullptr) return false;
  if (params.paged_keys != nullptr) return false;
  const bool turned = heads.rope.table.data != nullptr;
  const bool whole = heads.rope.rotary_dim == params.head_dim &&
                     reinterpret_cast<uintptr_t>(heads.rope.table.data) % 16 == 0;
  if (turned && !whole) return false;
  const bool q_normed = heads.q_norm.weight.data != nullptr;
  const bool k_normed = heads.k_norm.weight.data != nullptr;
  if (!q_normed && !k_normed) return true;
  return turned && IsRmsNorm(heads.q_norm, params.head_dim) &&
         IsRmsNorm(heads.k_norm, params.head_dim);
}

bool PrefersShortAttention(const AttentionParams& params, const HeadNormRopeParams& heads,
                           DType dtype, const AttentionShape& shape, int sm) {
  // Every block looks for its sequence, and norms and turns all keys that it sees. Measured on an
  // H200 in whole models: level with others for a sequence of 128 tokens and heads of 128 columns,
  // ahead below and, with 64 columns, there too; behind for one of 512.
  constexpr int64_t kTokensMax = 512, kSequencesMax = 64;
  const int64_t longest_max = params.head_dim == 64 ? 256 : 128;
  const int64_t longest = shape.longest == 0 ? shape.tokens : shape.longest;
  return SupportsShortAttention(params, heads, dtype, sm) && shape.tokens <= kTokensMax &&
         shape.sequences <= kSequencesMax && longest <= longest_max;
}

int ShortAttentionRows(const AttentionParams& params, const AttentionShape& shape) {
  // Few rows spread the products over more multiprocessors, many read keys and values less often.
  if (Blocks(params, shape, 16) <= 64) return 16;
  return Blocks(params, shape, 32) <= 132 ? 32 : 64;
}

}  // namespace rose::kernels
