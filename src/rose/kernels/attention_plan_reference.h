#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rose/kernels/attention_tiles.h"

// What PlanAttention lays out, as plain loops on the host: for tests.

namespace rose::kernels {

struct ReferenceTile {
  int32_t sequence;
  int32_t tile;
  int32_t tile_class;

  friend bool operator==(const ReferenceTile&, const ReferenceTile&) = default;
};

/// The keys that a tile meets, counted in classes.
inline int32_t ClassOf(const TileGrid& grid, int32_t length, int32_t tile) {
  const int32_t end_row = std::min((tile + 1) * grid.rows, length * grid.group);
  const int32_t end_query = (end_row + grid.group - 1) / grid.group;
  const int32_t keys = grid.causal ? end_query : length;
  return std::min((keys + grid.class_keys - 1) / grid.class_keys, grid.classes);
}

inline std::vector<ReferenceTile> ReferenceTiles(const TileGrid& grid,
                                                 std::span<const int32_t> cu_seqlens) {
  std::vector<ReferenceTile> tiles;
  for (int32_t s = 0; s + 1 < static_cast<int32_t>(cu_seqlens.size()); ++s) {
    const int32_t length = cu_seqlens[s + 1] - cu_seqlens[s];
    const int32_t count = (length * grid.group + grid.rows - 1) / grid.rows;
    for (int32_t t = count - 1; t >= 0; --t) tiles.push_back({s, t, ClassOf(grid, length, t)});
  }
  std::stable_sort(tiles.begin(), tiles.end(), [](const ReferenceTile& a, const ReferenceTile& b) {
    return a.tile_class > b.tile_class;
  });
  return tiles;
}

struct ReferenceEntry {
  ReferenceTile tile;
  int32_t head;

  friend bool operator==(const ReferenceEntry&, const ReferenceEntry&) = default;
};

/// Each tile's heads side by side, dealt to the blocks in turn, every other round backwards.
inline std::vector<std::vector<ReferenceEntry>> ReferenceDeal(std::span<const ReferenceTile> tiles,
                                                              int32_t heads, int32_t blocks) {
  std::vector<std::vector<ReferenceEntry>> deal(static_cast<std::size_t>(blocks));
  for (int32_t entry = 0; entry < static_cast<int32_t>(tiles.size()) * heads; ++entry) {
    const int32_t round = entry / blocks, place = entry % blocks;
    const int32_t block = round % 2 == 0 ? place : blocks - 1 - place;
    deal[block].push_back({tiles[entry / heads], entry % heads});
  }
  return deal;
}

}  // namespace rose::kernels
