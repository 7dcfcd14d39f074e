#include "rose/kernels/attention.h"

#include <cstddef>

#include "rose/kernels/attention_args.h"
#include "rose/kernels/attention_plan.h"
#include "rose/kernels/attention_tiles.h"
#include "rose/kernels/fa2.h"
#include "rose/kernels/fa3.h"
#include "rose/kernels/simple_attention.h"

namespace rose::kernels {
namespace {

/// No distance of two tokens, and no overflow when added to one.
constexpr int32_t kUnlimited = 1 << 30;

AttentionArgs ArgsOf(const AttentionParams& params, Tensor qkv, Tensor out) {
  const auto* q = static_cast<const std::byte*>(qkv.data);
  const auto size = static_cast<int64_t>(SizeOf(qkv.dtype));
  const int64_t kv_cols = int64_t{params.key_value_heads()} * params.head_dim;
  const std::byte* k = q + int64_t{params.heads} * params.head_dim * size;
  return {.q = q,
          .k = k,
          .v = k + kv_cols * size,
          .out = out.data,
          .row_stride = qkv.cols,
          .tokens = static_cast<int32_t>(qkv.rows),
          .heads = params.heads,
          .kv_heads = params.key_value_heads(),
          .head_dim = params.head_dim,
          .scale = params.scale};
}

cudaError_t RunSimple(const Launch& launch, const AttentionParams& params,
                      const AttentionPlan& plan, DType dtype, const AttentionArgs& args) {
  const bool causal = params.mask == AttentionMask::kCausal;
  const int32_t window = params.window == 0 ? kUnlimited : params.window;
  const SimpleAttentionArgs simple{
      .rows = args,
      .tiles = plan.tiles,
      .tiles_max = plan.tiles_max,
      .left = causal ? window - 1 : window,
      .right = causal ? 0 : window,
      .bias = static_cast<const float*>(params.position_bias.data),
      .positions = static_cast<int32_t>((params.position_bias.cols + 1) / 2)};
  if (dtype == DType::kBFloat16 && params.head_dim % 8 == 0) return MmaAttention(launch, simple);
  return ScalarAttention(launch, simple, dtype);
}

Fa2Plan Fa2PlanOf(const AttentionPlan& plan, const TileGrid& grid, const int32_t* cu_seqlens) {
  return {.cu_seqlens = cu_seqlens,
          .sequences = plan.block_sequence,
          .tiles = plan.block_tile,
          .zeros = plan.zeros,
          .one = plan.tile_count + 1,
          .used = plan.used,
          .blocks = plan.tiles_max,
          .rows = grid.rows};
}

Fa3Plan Fa3PlanOf(const AttentionPlan& plan) {
  return {.begins = plan.works_begin,
          .tiles = plan.works_tile,
          .heads = plan.works_head,
          .rows = plan.works_row,
          .lengths = plan.works_length};
}

}  // namespace

cudaError_t Attention(const Launch& launch, AttentionBackend backend, const AttentionParams& params,
                      const AttentionShape& shape, const int32_t* cu_seqlens, const void* workspace,
                      Tensor qkv, Tensor out) {
  if (qkv.rows == 0 || shape.sequences == 0) return cudaSuccess;
  const AttentionArgs args = ArgsOf(params, qkv, out);
  const AttentionPlan plan = LayOutPlan(backend, params, shape, const_cast<void*>(workspace));
  switch (backend) {
    case AttentionBackend::kSimple:
      return RunSimple(launch, params, plan, qkv.dtype, args);
    case AttentionBackend::kFa2: {
      const Fa2Kernel kernel = FindFa2(params.head_dim, params.mask);
      if (kernel == nullptr) return cudaErrorNotSupported;
      return kernel(args, Fa2PlanOf(plan, TilesOf(backend, params, shape), cu_seqlens),
                    launch.overlap, launch.stream);
    }
    case AttentionBackend::kFa3: {
      const Fa3Kernel kernel = FindFa3(params.head_dim, params.mask, Fa3TileOf(params, shape));
      if (kernel == nullptr) return cudaErrorNotSupported;
      return kernel(args, Fa3PlanOf(plan), launch.stream);
    }
  }
  return cudaErrorInvalidValue;
}

}  // namespace rose::kernels
