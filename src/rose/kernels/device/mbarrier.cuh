#pragma once

#include <cstdint>

// Barriers in shared memory that count arrivals and bytes, and the copies that report to them (PTX
// ISA, "mbarrier" and "cp.async.bulk"). Addresses are those of the shared window, as SharedAddress
// gives them.
//
// Waits and arrivals carry no .cluster scope: with it each costs an invalidation of the L1 cache or
// a fence of the whole device.

namespace rose::kernels {

__device__ __forceinline__ uint32_t SharedAddress(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void InitBarrier(uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// After InitBarrier, before copies and other blocks of the cluster use what it made.
__device__ __forceinline__ void FenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// One arrival, and `bytes` more to be waited for.
__device__ __forceinline__ void ArriveExpecting(uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Until the barrier's first phase has ended: for barriers that are used once.
__device__ __forceinline__ void WaitFirstPhase(uint32_t barrier) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "Again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
      "@done bra Done;\n"
      "bra Again;\n"
      "Done:\n"
      "}" ::"r"(barrier)
      : "memory");
}

/// Copies `bytes` of global memory, which the barrier then counts. Both addresses and the size are
/// multiples of 16.
__device__ __forceinline__ void CopyToShared(uint32_t to, const void* from, int bytes,
                                             uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

}  // namespace rose::kernels
