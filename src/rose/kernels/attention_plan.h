#pragma once

#include <cstdint>

#include "rose/kernels/attention.h"
#include "rose/kernels/attention_tiles.h"

namespace rose::kernels {

/// The arrays of a plan in its workspace. What a backend does not read is null.
struct AttentionPlan {
  int32_t* tile_count = nullptr;  ///< Then a 1.
  int32_t* sequences = nullptr;   ///< [tiles_max], tile_count of them filled: whose tile,
  int32_t* tiles = nullptr;       ///< and which.

  // kFa2
  int32_t* zeros = nullptr;  ///< [tiles_max]
  bool* used = nullptr;      ///< [tiles_max]

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
