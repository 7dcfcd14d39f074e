#include <cstdint>

#include "rose/kernels/attention_tiles.h"
#include "rose/kernels/fa2.h"
#include "rose/kernels/fa3.h"

namespace rose::kernels {
namespace {

constexpr int kHeadDimMax = 256;

/// What FlashInfer's kernels are built for.
bool IsPlain(const AttentionParams& params, DType dtype) {
  return dtype == DType::kBFloat16 && (params.head_dim == 64 || params.head_dim == 128) &&
         params.window == 0 && params.position_bias.data == nullptr;
}

/// Where FlashAttention 2 is faster than 3 on Hopper, from docs/kernels/attention_cuda.md.
bool IsShort(const AttentionParams& params, const AttentionShape& shape) {
  const int64_t longest = shape.longest == 0 ? shape.tokens : shape.longest;
  if (params.head_dim == 64) return longest <= 128;
  if (shape.tokens <= 512) return true;
  if (params.mask == AttentionMask::kCausal) return longest <= 64;
  return longest <= 64 || (longest <= 128 && shape.tokens <= 2048);
}

}  // namespace

bool Supports(AttentionBackend backend, const AttentionParams& params, DType dtype, int sm) {
  if (params.paged_keys != nullptr) return false;
  switch (backend) {
    case AttentionBackend::kSimple:
      return params.head_dim <= kHeadDimMax;
    case AttentionBackend::kFa2:
      return sm >= 80 && IsPlain(params, dtype) && FindFa2(params.head_dim, params.mask) != nullptr;
    case AttentionBackend::kFa3:
      return sm == 90 && IsPlain(params, dtype) &&
             FindFa3(params.head_dim, params.mask, Fa3TileOf(params, {})) != nullptr;
  }
  return false;
}

bool Fits(AttentionBackend backend, const AttentionParams& params, const AttentionShape& shape) {
  return backend != AttentionBackend::kFa2 || shape.tokens * params.qkv_cols() < int64_t{1} << 31;
}

AttentionBackend ChooseAttention(const AttentionParams& params, DType dtype,
                                 const AttentionShape& shape, int sm) {
  const bool fa2 = Supports(AttentionBackend::kFa2, params, dtype, sm) &&
                   Fits(AttentionBackend::kFa2, params, shape);
  const bool fa3 = Supports(AttentionBackend::kFa3, params, dtype, sm);
  if (fa2 && (!fa3 || IsShort(params, shape))) return AttentionBackend::kFa2;
  return fa3 ? AttentionBackend::kFa3 : AttentionBackend::kSimple;
}

}  // namespace rose::kernels
