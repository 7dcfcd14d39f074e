#pragma once

#include <cstdint>

#include "rose/kernels/device/cluster.cuh"
#include "rose/kernels/device/mbarrier.cuh"
#include "rose/kernels/device/quad.cuh"
#include "rose/kernels/small_product_layout.h"

// How the blocks of a cluster add up what each has summed over its share of the columns: every warp
// sends its slab's sums, as bfloat16, into the shared memory of the blocks that own them.

namespace rose::kernels {

/// A thread's sums of one slab and panel: element 4j + 2h + e is token lane / 4 + 8h and output
/// 8 (lane % 4) + 2j + e of the panel.
inline constexpr int kPanelSums = 16;

template <SmallProductPlan kPlan>
class PartialExchange {
 public:
  static constexpr SmallProductOwners Owners() { return OwnersOf(kPlan); }

  /// `partials`: shared memory for what the others send; `barrier` counts it.
  __device__ PartialExchange(int rank, int lane, uint32_t partials, uint32_t barrier)
      : rank_(rank), lane_(lane), partials_(partials), barrier_(barrier) {}

  __device__ bool Owns(int slab) const {
    return Owners().Owns(rank_) && slab % Owners().groups == Owners().Group(rank_);
  }
  __device__ int panel() const { return Owners().Panel(rank_); }

  /// One thread, before any block of the cluster sends. `slabs` hold tokens.
  __device__ void Expect(int slabs) const {
    InitBarrier(barrier_, 1);
    FenceBarrierInit();
    ArriveExpecting(barrier_, (kPlan.split - 1) * Owners().SlabsOf(rank_, slabs) * kPartialBytes);
  }

  /// Sends a slab's sums to their owners, except to this block itself.
  __device__ __forceinline__ void Send(int slab, const float (&sums)[kPlan.rows / 2]) const {
#pragma unroll
    for (int panel = 0; panel < Owners().panels; ++panel) {
      const int owner = Owners().Rank(slab, panel);
      if (owner == rank_) continue;
      const int slot = rank_ < owner ? rank_ : rank_ - 1;
      const uint32_t to = MapToBlock(Place(slot, slab), owner);
      const uint32_t barrier = MapToBlock(barrier_, owner);
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        const float* from = sums + panel * kPanelSums + part * 8;
        StoreToBlock(to + part * kPartBytes, PackPairs(from), barrier);
      }
    }
  }

  /// This block's own sums of the panel that it owns.
  __device__ __forceinline__ void Own(const float (&sums)[kPlan.rows / 2],
                                      float (&own)[kPanelSums]) const {
#pragma unroll
    for (int i = 0; i < kPanelSums; ++i) {
      own[i] = sums[i];
#pragma unroll
      for (int panel = 1; panel < Owners().panels; ++panel) {
        own[i] = this->panel() == panel ? sums[panel * kPanelSums + i] : own[i];
      }
    }
  }

  /// Waits for what the others sent and adds it, in the order of their ranks.
  __device__ __forceinline__ void AddOthers(int slab, float (&own)[kPanelSums]) const {
    WaitFirstPhase(barrier_);
#pragma unroll
    for (int slot = 0; slot < kPlan.split - 1; ++slot) {
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        AddPairs(LoadShared(Place(slot, slab) + part * kPartBytes), own + part * 8);
      }
    }
  }

 private:
  static constexpr int kPartBytes = kPartialBytes / 2;  // 16 bytes of each lane.

  __device__ uint32_t Place(int slot, int slab) const {
    return partials_ + (slot * Owners().slabs + slab / Owners().groups) * kPartialBytes +
           lane_ * 16;
  }

  static __device__ __forceinline__ uint4 LoadShared(uint32_t from) {
    uint4 value;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "r"(from)
                 : "memory");
    return value;
  }

  int rank_;
  int lane_;
  uint32_t partials_;
  uint32_t barrier_;
};

}  // namespace rose::kernels
