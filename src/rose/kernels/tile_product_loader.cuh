#pragma once

#include <cstdint>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/mbarrier.cuh"
#include "rose/kernels/device/tma.cuh"
#include "rose/kernels/tile_product_args.h"
#include "rose/kernels/tile_product_ring.cuh"

namespace rose::kernels {

/// How many rows count. Only once the predecessor has been waited for.
__device__ __forceinline__ int UsedRows(const TileProductArgs& args) {
  return args.rows_used == nullptr ? args.rows : min(args.rows, __ldcg(args.rows_used));
}

/// Fills the ring: one thread of the block.
template <TileProductPlan kPlan, bool kGated>
class TileLoader {
  using Layout = TileLayout<kPlan>;

 public:
  __device__ TileLoader(const TileProductArgs& args, const TileRing<kPlan>& ring, int rank)
      : args_(args), ring_(ring), rank_(rank) {}

  __device__ void Run(int cluster, int clusters) {
    TileWalk<kPlan, kGated> walk(args_, args_.rows);
    const bool at_once = walk.count() <= clusters;
    int early = 0;
    if (at_once) {
      // What each cluster does is known before anything is read: its weights can go ahead.
      walk.Go(cluster, rank_);
      for (; early < min(Layout::kStages, args_.stages); ++early) Begin(walk, early, early);
    }
    WaitForPredecessor();
    if (!at_once) walk = TileWalk<kPlan, kGated>(args_, UsedRows(args_));
    RingPlace<Layout::kStages> at;
    for (int index = cluster; index < walk.count(); index += clusters) {
      walk.Go(index, rank_);
      for (int i = 0; i < args_.stages; ++i) {
        if (early > 0) {
          --early;
        } else {
          WaitPhase(ring_.Emptied(at.stage), at.parity ^ 1);
          Begin(walk, at.stage, i);
        }
        CopyBox(ring_.X(at.stage), args_.x, i * kTileStageColumns, walk.row,
                ring_.Filled(at.stage));
        at.Advance();
      }
    }
    // The other block reads what came from here, and tells this one, to the last.
    for (int i = 0; i < Layout::kStages; ++i) {
      WaitPhase(ring_.Emptied(at.stage), at.parity ^ 1);
      at.Advance();
    }
  }

 private:
  /// Announces a stage's bytes and loads this block's share of its weights: the tile's two pieces,
  /// which are of its two halves where gated, or one of them, for both blocks of the cluster.
  __device__ __forceinline__ void Begin(const TileWalk<kPlan, kGated>& walk, int stage, int i) {
    constexpr int kPieceRows = kPlan.cols / 2;
    const uint32_t barrier = ring_.Filled(stage);
    ArriveExpecting(barrier, Layout::kStageBytes);
#pragma unroll
    for (int own = 0; own < 2 / Layout::kBlocks; ++own) {
      const int piece = Layout::kBlocks > 1 ? rank_ : own;
      const int row = walk.column + piece * (kGated ? args_.out_features / 2 : kPieceRows);
      const uint32_t to = ring_.Weight(stage) + piece * kPieceRows * Layout::kRowBytes;
      if constexpr (Layout::kBlocks > 1) {
        constexpr uint16_t kBoth = 3;
        CopyBoxToBlocks(to, args_.weight, i * kTileStageColumns, row, barrier, kBoth);
      } else {
        CopyBox(to, args_.weight, i * kTileStageColumns, row, barrier);
      }
    }
  }

  const TileProductArgs& args_;
  const TileRing<kPlan>& ring_;
  int rank_;
};

}  // namespace rose::kernels
