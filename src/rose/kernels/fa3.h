#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "rose/core/op_params.h"
#include "rose/kernels/attention_args.h"

namespace rose::kernels {

/// What each multiprocessor's block does, one entry a tile and head. All in device memory.
struct Fa3Plan {
  const int32_t* begins = nullptr;  ///< [multiprocessors + 1]: block b has entries begins[b] ….
  const int32_t* tiles = nullptr;
  const int32_t* heads = nullptr;
  const int32_t* rows = nullptr;  ///< Of the sequence's first token.
  const int32_t* lengths = nullptr;
};

using Fa3Kernel = cudaError_t (*)(const AttentionArgs& args, const Fa3Plan& plan,
                                  cudaStream_t stream);

/// So many queries of a head meet so many keys at a time.
struct Fa3Tile {
  int rows = 0;
  int keys = 0;

  friend bool operator==(const Fa3Tile& a, const Fa3Tile& b) = default;
};

/// FlashInfer's ragged kernel for bfloat16 on compute capability 9.0; null if there is none for
/// that head dim and tile or this program was built for other devices.
Fa3Kernel FindFa3(int head_dim, AttentionMask mask, const Fa3Tile& tile);

}  // namespace rose::kernels
