#pragma once

#include <cstdint>

// The shared memory of the other blocks of a cluster (PTX ISA, "mapa" and "st.async").

namespace rose::kernels {

/// Until every thread of the cluster has come here. Orders nothing but what FenceBarrierInit made
/// visible: a release of the cluster's scope would cost a fence of the whole device.
__device__ __forceinline__ void MeetCluster() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// What `address` of the own block's shared memory is in block `rank`'s.
__device__ __forceinline__ uint32_t MapToBlock(uint32_t address, int rank) {
  uint32_t mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

/// Stores 16 bytes into another block's shared memory; `barrier`, in the same block, counts them.
__device__ __forceinline__ void StoreToBlock(uint32_t to, uint4 value, uint32_t barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
      "[%5];" ::"r"(to),
      "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier)
      : "memory");
}

}  // namespace rose::kernels
