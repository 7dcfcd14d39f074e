#pragma once

#include <cuda.h>

#include <cstdint>

// Copies of boxes out of matrices in device memory, as tensor maps describe them, into shared
// memory, and the barriers of a ring of stages that they fill (PTX ISA, "cp.async.bulk.tensor").
// Addresses are those of the shared window. As in mbarrier.cuh nothing carries the cluster's scope.

namespace rose::kernels {

/// Ahead of the first copy. The map is a __grid_constant__ parameter.
__device__ __forceinline__ void PrefetchMap(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Copies the box that begins at `column` of `row` to `to`, a multiple of 1024 where the map
/// swizzles; `barrier` counts its bytes, those outside of the matrix, which become zeros, too.
__device__ __forceinline__ void CopyBox(uint32_t to, const CUtensorMap& map, int column, int row,
                                        uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(column), "r"(row)
      : "memory");
}

/// The same into all blocks of the cluster whose ranks' bits are set, at the same places there;
/// each one's own barrier counts.
__device__ __forceinline__ void CopyBoxToBlocks(uint32_t to, const CUtensorMap& map, int column,
                                                int row, uint32_t barrier, uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(column), "r"(row), "h"(blocks)
      : "memory");
}

/// Until the barrier's phase of this parity has ended. A barrier's phases begin with parity 0; the
/// one before the first counts as ended, with parity 1.
__device__ __forceinline__ void WaitPhase(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "Again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra Done;\n"
      "bra Again;\n"
      "Done:\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

/// One arrival at a barrier of any block of the cluster, its address as MapToBlock gives it.
__device__ __forceinline__ void ArriveAtBlock(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// Gives registers of a warpgroup back, or takes such: all its warps together.
template <int kRegisters>
__device__ __forceinline__ void ShrinkRegisters() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void GrowRegisters() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

}  // namespace rose::kernels
