#pragma once

#include <cstdint>

#include "rose/kernels/device/cluster.cuh"
#include "rose/kernels/device/mbarrier.cuh"
#include "rose/kernels/device/named_barrier.cuh"
#include "rose/kernels/device/tma.cuh"
#include "rose/kernels/device/wgmma_shared.cuh"
#include "rose/kernels/tile_product_ring.cuh"

namespace rose::kernels {

/// A warpgroup that multiplies what the ring brings.
template <TileProductPlan kPlan>
class TileMultiplier {
  using Layout = TileLayout<kPlan>;

 public:
  using Sums = float[Layout::kProducts][kPlan.cols / 2];

  __device__ TileMultiplier(const TileRing<kPlan>& ring, int warpgroup, int rank)
      : ring_(ring),
        turn_(kPlan.ping_pong ? warpgroup : 0),
        first_row_(kPlan.ping_pong ? 0 : warpgroup * Layout::kRows) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    releases_ = lane < Layout::kBlocks;
    emptied_ = MapToBlock(ring.emptied, releases_ ? lane : rank);
  }

  /// Ping-pong: until the other warpgroup has seen the last stage of its tile. What comes through
  /// the ring before must have been waited for: a phase further ahead looks like the one before.
  __device__ __forceinline__ void WaitForTurn() const { MeetThreads(kFirstTurn + turn_, 256); }
  __device__ __forceinline__ void PassTurn() const {
    ArriveForThreads(kFirstTurn + 1 - turn_, 256);
  }

  /// Leaves stages of another warpgroup's tile to it.
  __device__ __forceinline__ void Skip(int stages) { at_.Skip(stages); }

  /// The sums of one tile, added to what `sums` hold if they begin `biased`. `passes`: the other
  /// warpgroup has the next.
  __device__ __forceinline__ void Run(int stages, bool biased, bool passes, Sums& sums) {
    Fence(sums);
    int before = 0;
    for (int i = 0; i < stages; ++i) {
      WaitPhase(ring_.Filled(at_.stage), at_.parity);
      const uint64_t x = SwizzledMatrix(ring_.X(at_.stage) + first_row_ * Layout::kRowBytes);
      const uint64_t weight = SwizzledMatrix(ring_.Weight(at_.stage));
      FenceProducts();
#pragma unroll
      for (int step = 0; step < kTileStageColumns / 16; ++step) {
#pragma unroll
        for (int product = 0; product < Layout::kProducts; ++product) {
          constexpr uint64_t kNextRows = 64 * Layout::kRowBytes / 16;
          SharedWgmma<kPlan.cols>::Accumulate(
              sums[product], x + product * kNextRows + step * kNextColumns16,
              weight + step * kNextColumns16, i > 0 || step > 0 || biased);
        }
      }
      CommitProducts();
      WaitProducts<1>();
      if (i > 0) Release(before);
      before = at_.stage;
      at_.Advance();
    }
    if (kPlan.ping_pong && passes) PassTurn();
    WaitProducts<0>();
    Fence(sums);
    Release(before);
  }

 private:
  static __device__ __forceinline__ void Fence(Sums& sums) {
#pragma unroll
    for (auto& product : sums) FenceSums(product);
  }

  __device__ __forceinline__ void Release(int stage) const {
    if (releases_) ArriveAtBlock(emptied_ + stage * 8);
  }

  static constexpr int kFirstTurn = 1;  ///< The first of two barriers of threads.

  const TileRing<kPlan>& ring_;
  RingPlace<Layout::kStages> at_;
  int turn_;
  int first_row_;
  bool releases_;     ///< This lane tells a block that the warp has read a stage.
  uint32_t emptied_;  ///< That block's barriers.
};

}  // namespace rose::kernels
