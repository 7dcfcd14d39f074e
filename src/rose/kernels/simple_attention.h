#pragma once

#include <cstdint>

#include "rose/core/dtype.h"
#include "rose/kernels/attention_args.h"
#include "rose/kernels/attention_plan.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// The kernels of kSimple.
struct SimpleAttentionArgs {
  AttentionArgs rows;
  const PlannedTile* tiles = nullptr;  ///< Those that are not empty first.
  int64_t tiles_max = 0;
  /// Query i sees key j iff i − j ≤ left and j − i ≤ right.
  int32_t left = 0;
  int32_t right = 0;
  const float* bias = nullptr;  ///< [heads × (2 positions − 1)], or null.
  int32_t positions = 0;
};

/// bfloat16 on the tensor cores. head_dim is a multiple of 8, up to 256.
cudaError_t MmaAttention(const Launch& launch, const SimpleAttentionArgs& args);

/// float32 or bfloat16, one multiplication after the other. head_dim up to 256.
cudaError_t ScalarAttention(const Launch& launch, const SimpleAttentionArgs& args, DType dtype);

}  // namespace rose::kernels
