#pragma once

namespace rose::kernels {

/// Until `threads` threads, whole warps that name the same of the barriers 1 … 15, have come here;
/// what they wrote to shared memory before can then be read (PTX ISA, "bar.sync").
__device__ __forceinline__ void MeetThreads(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/// Comes to such a barrier, for those who meet there, without waiting (PTX ISA, "bar.arrive").
__device__ __forceinline__ void ArriveForThreads(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

}  // namespace rose::kernels
