#pragma once

#include <cstdint>

#include "rose/kernels/attention.h"
#include "rose/kernels/attention_tiles.h"

namespace rose::kernels {

/// A tile and its sequence, read at once. Without a sequence the length is 0.
struct alignas(16) PlannedTile {
  int32_t sequence = 0;
  int32_t row = 0;  ///< Of the sequence's first token.
  int32_t length = 0;
  int32_t tile = 0;
};

/// The arrays of a plan in its workspace. What a backend does not read is null.
struct AttentionPlan {
  int32_t* tile_count = nullptr;  ///< Then a 1.
  PlannedTile* tiles = nullptr;   ///< [tiles_max]; those from tile_count on are empty.

  // kFa2: a block for each tile that there may be.
  int32_t* block_sequence = nullptr;  ///< [tiles_max]
  int32_t* block_tile = nullptr;      ///< [tiles_max]
  int32_t* zeros = nullptr;           ///< [tiles_max]
  bool* used = nullptr;               ///< [tiles_max]

  // kFa3: its entries go round the multiprocessors and back, from the most expensive on. Sorted
  // like this no block gets more than one entry above the mean.
  int32_t* works_tile = nullptr;    ///< [works_max]
  int32_t* works_head = nullptr;    ///< [works_max]
  int32_t* works_row = nullptr;     ///< [works_max]
  int32_t* works_length = nullptr;  ///< [works_max]
  int32_t* works_begin = nullptr;   ///< [multiprocessors + 1]

  int64_t tiles_max = 0;
  int64_t works_max = 0;
};

/// Where the plan of `shape` lies in `workspace`; null of it if that is null.
AttentionPlan LayOutPlan(AttentionBackend backend, const AttentionParams& params,
                         const AttentionShape& shape, void* workspace);

}  // namespace rose::kernels
