#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "rose/core/op_params.h"
#include "rose/kernels/attention_args.h"

namespace rose::kernels {

/// One tile a block, for each head of keys: which, for blocks as many as there may be. All in
/// device memory.
struct Fa2Plan {
  const int32_t* cu_seqlens = nullptr;
  const int32_t* sequences = nullptr;
  const int32_t* tiles = nullptr;
  const int32_t* zeros = nullptr;
  const int32_t* one = nullptr;  ///< Divides by it.
  const bool* used = nullptr;    ///< The other blocks end at once.
  int64_t blocks = 0;
  int32_t rows = 0;  ///< Of a tile: 16, 64 or 128.
};

using Fa2Kernel = cudaError_t (*)(const AttentionArgs& args, const Fa2Plan& plan, bool overlap,
                                  cudaStream_t stream);

/// FlashInfer's ragged kernel for bfloat16; null if there is none for that head dim.
Fa2Kernel FindFa2(int head_dim, AttentionMask mask);

}  // namespace rose::kernels
