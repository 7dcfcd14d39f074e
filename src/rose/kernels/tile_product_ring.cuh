#pragma once

#include <cstdint>

#include "rose/kernels/device/mbarrier.cuh"
#include "rose/kernels/device/tma.cuh"
#include "rose/kernels/tile_product_args.h"

// The ring of stages through which a block's tiles come: who reads and writes them, and where.

namespace rose::kernels {

template <TileProductPlan kPlan>
struct TileLayout {
  static constexpr int kBlocks = ClusterBlocks(kPlan);
  static constexpr int kWarpgroups = 2;  ///< That multiply.
  static constexpr int kRows = kPlan.ping_pong ? kTileRows : kTileRows / kWarpgroups;
  static constexpr int kProducts = kRows / 64;  ///< Of a warpgroup, one below the other.

  static constexpr int kRowBytes = kTileStageColumns * 2;
  static constexpr int kXBytes = kTileRows * kRowBytes;
  static constexpr int kStageBytes = kXBytes + kPlan.cols * kRowBytes;
  static constexpr int kAlignment = 1024;  ///< Of the swizzle; memory may begin anywhere.
  static constexpr int kSharedMax = 227 * 1024 - 2 * kAlignment;
  static constexpr int kStages = kSharedMax / kStageBytes;
  static constexpr int kSharedBytes = kAlignment + kStages * kStageBytes;

  /// Warps that read a stage of this block, or one that it fills too.
  static constexpr int kReaders = (kPlan.ping_pong ? 4 : 8) * kBlocks;

  /// Sums of a thread, and the registers that it needs for them and beside them. Where they are
  /// few, the block begins with fewer than the multiprocessor has, as the bound says: so it finds
  /// room beside the kernel before it.
  static constexpr int kSums = kProducts * kPlan.cols / 2;
  static constexpr int kThreadsBound = kSums <= 96 ? 512 : kTileThreads;
  static constexpr int kMultiplierRegisters = kSums <= 96 ? 168 : kSums <= 128 ? 232 : 240;
  static constexpr int kLoaderRegisters = kSums <= 128 ? 40 : 24;
};

/// A stage of the ring, and the parity of its phase. Both blocks of a cluster go the same way.
template <int kStages>
struct RingPlace {
  int stage = 0;
  uint32_t parity = 0;

  __device__ __forceinline__ void Advance() {
    if (++stage < kStages) return;
    stage = 0;
    parity ^= 1;
  }
  __device__ __forceinline__ void Skip(int count) {
    const int next = stage + count;
    parity ^= next / kStages & 1;
    stage = next % kStages;
  }
};

template <TileProductPlan kPlan>
struct TileRing {
  using Layout = TileLayout<kPlan>;

  uint32_t stages;   ///< [kStages]: x's rows, then the weight's, each 64 columns, swizzled.
  uint32_t filled;   ///< [kStages] barriers that bytes end.
  uint32_t emptied;  ///< [kStages] barriers that readers end.

  __device__ __forceinline__ uint32_t X(int stage) const {
    return stages + stage * Layout::kStageBytes;
  }
  __device__ __forceinline__ uint32_t Weight(int stage) const { return X(stage) + Layout::kXBytes; }
  __device__ __forceinline__ uint32_t Filled(int stage) const { return filled + stage * 8; }
  __device__ __forceinline__ uint32_t Emptied(int stage) const { return emptied + stage * 8; }

  /// By one thread, before the cluster meets.
  __device__ __forceinline__ void Init() const {
    for (int stage = 0; stage < Layout::kStages; ++stage) {
      InitBarrier(Filled(stage), 1);
      InitBarrier(Emptied(stage), Layout::kReaders);
    }
    FenceBarrierInit();
  }
};

/// The tiles of the output in the order in which clusters take them: down the rows of a group, then
/// on to the next columns. So what runs at a time shares x and weights in the L2 cache, and weights
/// pass through it once for each group.
template <TileProductPlan kPlan, bool kGated>
class TileWalk {
 public:
  static constexpr int kOutCols = kGated ? kPlan.cols / 2 : kPlan.cols;

  __device__ TileWalk(const TileProductArgs& args, int rows)
      : down_(Divide(rows, kTileRows * kBlocks)),
        across_(Divide(kGated ? args.out_features / 2 : args.out_features, kOutCols)) {}

  /// Clusters' shares: a tile for each block, one below the other.
  __device__ int count() const { return down_ * across_; }

  /// Moves to one of them, to the tile of the block of this rank.
  __device__ void Go(int index, int rank) {
    const int first = index / (kGroup * across_) * kGroup;
    const int size = min(kGroup, down_ - first);
    const int in_group = index - first * across_;
    row = ((first + in_group % size) * kBlocks + rank) * kTileRows;
    column = in_group / size * kOutCols;
  }

  int row = 0;
  int column = 0;  ///< Of the output: of each half of the weight's rows where gated.

 private:
  static constexpr int kBlocks = TileLayout<kPlan>::kBlocks;
  static constexpr int kGroup = 16 / kBlocks;
  static __device__ int Divide(int a, int b) { return (a + b - 1) / b; }

  int down_;
  int across_;
};

}  // namespace rose::kernels
