#pragma once

#include <cstdint>

#include "rose/kernels/attention_args.h"
#include "rose/kernels/divisor.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// What the kernels of ShortAttention read.
struct ShortAttentionArgs {
  AttentionArgs rows;
  const int32_t* cu_seqlens = nullptr;
  int32_t sequences = 0;
  bool causal = false;
  Divisor kv_heads;  ///< Blocks of a tile, side by side.
  Divisor group;     ///< Heads of queries that share one of keys.
  // Root mean square norms, or null.
  const float* q_weight = nullptr;
  const float* k_weight = nullptr;
  float q_epsilon = 0;
  float k_epsilon = 0;
  const float* table = nullptr;  ///< Of RopeParams, or null.
  const int32_t* position_ids = nullptr;
};

/// Queues the kernel of a head dim whose blocks take `rows` queries. Heads may be normed only where
/// they are turned.
cudaError_t ShortAttention64(const Launch& launch, const ShortAttentionArgs& args, int rows,
                             unsigned blocks);
cudaError_t ShortAttention128(const Launch& launch, const ShortAttentionArgs& args, int rows,
                              unsigned blocks);

}  // namespace rose::kernels
