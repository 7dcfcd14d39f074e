#pragma once

#include <cstdint>

#include "rose/kernels/attention.h"
#include "rose/kernels/fa3.h"

// How the work of attention is cut: by counts alone, on the host. Which tiles there are stands in
// the lengths, so the plan finds them on the device.

namespace rose::kernels {

/// The queries of a sequence, `group` rows each, are cut into tiles of `rows`. A tile costs by the
/// keys that it meets: classes 1 … classes, of class_keys keys each; what is longer counts as the
/// last. Tiles run from the most expensive class to the cheapest, within a class by sequence and
/// from its end.
struct TileGrid {
  int32_t rows = 0;
  int32_t group = 0;  ///< Heads of a token that share a tile.
  int32_t class_keys = 0;
  int32_t classes = 0;
  bool causal = false;  ///< A tile meets the keys up to its last query, else all of the sequence.
};

/// More would take the plan's kernel more shared memory than every device has without asking.
inline constexpr int32_t kTileClassesMax = 256;

/// kSimple takes this many queries of one head at a time.
inline constexpr int32_t kSimpleTileRows = 64;

/// kFa2's smallest tiles; the longer the sequences, the larger.
inline constexpr int32_t kFa2TileRowsMin = 16;
/// The same of kFa3.
inline constexpr int32_t kFa3TileRowsMin = 128;

/// The kernel of kFa3 that is fastest for such sequences.
Fa3Tile Fa3TileOf(const AttentionParams& params, const AttentionShape& shape);

TileGrid TilesOf(AttentionBackend backend, const AttentionParams& params,
                 const AttentionShape& shape);

/// No lengths that fit `shape` give more tiles.
int64_t TilesAtMost(const TileGrid& grid, const AttentionShape& shape);

}  // namespace rose::kernels
