#pragma once

#include <cstdint>

// Where things lie in a small product's packed weights and in the shared memory of its blocks: what
// the kernel, the packing and the choice of a plan have to agree on.

namespace rose::kernels {

/// How a product is divided over blocks. Each block multiplies all tokens with `rows` weight rows
/// over a share of the columns; the blocks of a cluster, `split` of them, share the columns.
struct SmallProductPlan {
  int warpgroups = 0;  ///< Of a block: each takes 64 tokens.
  int rows = 0;        ///< Weight rows of a block.
  int split = 0;       ///< Blocks of a cluster.
  int depth = 0;       ///< Stages of activations that a thread holds at once.

  friend constexpr bool operator==(const SmallProductPlan&, const SmallProductPlan&) = default;
};

// The packed image: panels of 32 weight rows, one after the other; each in stages of 64 columns,
// one after the other; each of those 32 rows of 128 bytes, in which eight chunks of 16 bytes lie as
// the tensor cores' swizzle wants them. A block copies any number of panels side by side, so that
// one image serves every plan. Two permutations spare the kernel all shuffling:
// - rows within a panel, so that a thread's sums are of eight neighbouring outputs;
// - columns within 32, so that the 16 bytes that a thread reads of a token's row are its operands.
inline constexpr int kPanelRows = 32;
inline constexpr int kStageColumns = 64;
inline constexpr int kStageRowBytes = 128;
inline constexpr int kPanelStageBytes = kPanelRows * kStageRowBytes;

/// Row of a panel that lies at row `at` of its image.
constexpr int PanelRow(int at) { return 8 * (at % 8 / 2) + 2 * (at / 8) + at % 2; }

/// Column of a stage from which chunk `place` of image row `at` begins. Elements 2i and 2i + 1 of
/// the chunk are columns 8i and 8i + 1 from there on.
constexpr int ChunkColumn(int at, int place) {
  const int chunk = place ^ at % 8;
  return 32 * (chunk / 4) + 4 * (chunk % 4 / 2) + 2 * (chunk % 2);
}

/// Row of the weight behind row `row` of the image, in panels' order: a gated product's image
/// alternates between its two halves, so that a pair of outputs meets in one thread.
constexpr int64_t WeightRow(int64_t row, int64_t out_features, bool gated) {
  return gated ? row % 2 * (out_features / 2) + row / 2 : row;
}

/// Tokens come in slabs of 16, one for each warp. A block sums its share of the columns for every
/// slab and panel; the cluster's sums meet in the block that owns this slab and panel.
inline constexpr int kSlabTokens = 16;

struct SmallProductOwners {
  int panels = 0;  ///< Of a cluster, each with owners of its own.
  int groups = 0;  ///< Owners of a panel: slab s belongs to group s % groups.
  int slabs = 0;   ///< That an owner has at most.

  constexpr int Rank(int slab, int panel) const { return slab % groups * panels + panel; }
  constexpr bool Owns(int rank) const { return rank < groups * panels; }
  constexpr int Panel(int rank) const { return rank % panels; }
  constexpr int Group(int rank) const { return rank / panels; }
  /// Of `slabs` in use, those that a block of this rank owns.
  constexpr int SlabsOf(int rank, int in_use) const {
    const int group = Group(rank);
    return Owns(rank) && in_use > group ? (in_use - group + groups - 1) / groups : 0;
  }
};

constexpr SmallProductOwners OwnersOf(const SmallProductPlan& plan) {
  const int panels = plan.rows / kPanelRows, slabs = 4 * plan.warpgroups;
  const int groups = plan.split / panels < slabs ? plan.split / panels : slabs;
  return {.panels = panels, .groups = groups, .slabs = slabs / groups};
}

/// What a block sends of one slab and panel: 16 × 32 sums as bfloat16.
inline constexpr int kPartialBytes = kSlabTokens * kPanelRows * 2;

constexpr int StagesOfBlock(const SmallProductPlan& plan, int64_t in_features) {
  const auto stages = static_cast<int>(in_features / kStageColumns);
  return (stages + plan.split - 1) / plan.split;
}

/// More stages than this have no barriers.
inline constexpr int kStagesMax = 32;

/// Dynamic shared memory of a block: weights, partial sums of the others, the norm's weight.
constexpr int SmallProductSharedBytes(const SmallProductPlan& plan, int64_t in_features) {
  constexpr int kAlignment = 1024;  // Of the swizzle; what is handed out may begin anywhere.
  const int stages = StagesOfBlock(plan, in_features);
  return kAlignment + stages * (plan.rows * kStageRowBytes + kStageColumns * 2) +
         (plan.split - 1) * OwnersOf(plan).slabs * kPartialBytes;
}

}  // namespace rose::kernels
