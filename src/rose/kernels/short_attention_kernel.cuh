#pragma once

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/warp_mma.cuh"
#include "rose/kernels/short_attention_args.h"
#include "rose/kernels/short_attention_rows.cuh"
#include "rose/kernels/short_attention_shape.cuh"
#include "rose/kernels/short_attention_warp.cuh"

// Attention of few tokens, bound by latency: as many blocks as there are multiprocessors, all of
// whose warps work on the same few queries, and nothing that can be known before the predecessor
// has ended left for later. Warps that share 16 rows of queries each take some of the stage's keys,
// for scores and weights, and then some of the columns, for the weighted sums: so neither is
// computed twice nor anything but maxima and weights exchanged.

namespace rose::kernels {

template <typename Shape>
__global__ __launch_bounds__(Shape::kThreads, Shape::kBlocks) void ShortAttentionKernel(
    const __grid_constant__ ShortAttentionArgs a) {
  constexpr int kKeys = Shape::kKeys;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<ShortShared<Shape>*>(memory);
  TriggerSuccessor();
  const ShortTile tile = FindShortTile<Shape::kRows>(a);
  if (tile.length == 0) {
    WaitForPredecessor();
    return;
  }
  ShortRows<Shape> rows(a, tile);
  if constexpr (Shape::kNorm) rows.LoadNorms();
  if constexpr (Shape::kTurn) rows.LoadTurns();
  WaitForPredecessor();
  rows.CopyQueries(shared);
  rows.CopyStage(0, 0, shared);
  CommitCopies();
  if (kKeys < rows.end_keys()) rows.CopyStage(kKeys, 1, shared);
  CommitCopies();
  WaitForCopies<1>();
  const auto prepare = [&](int first, int stage) {
    if constexpr (!Shape::kTurn) return;
    rows.PrepareKeys(first, stage, shared);
    if (first + kKeys < rows.end_keys()) rows.LoadKeyTurns(first + kKeys);
  };
  if constexpr (Shape::kTurn) rows.PrepareQueries(shared);
  prepare(0, 0);
  ShortWarp<Shape> warp(shared);
  const int seen[2] = {rows.SeenKeys(warp.row(0)), rows.SeenKeys(warp.row(1))};
  const float scale = a.rows.scale * 1.4426950408889634f;  // log₂ e
  int stage = 0;
  for (int first = 0; first < rows.end_keys(); first += kKeys, stage ^= 1) {
    const int next = first + kKeys;
    __syncthreads();  // The stage is there, and nobody reads the one before it any more.
    if (first > 0 && next < rows.end_keys()) rows.CopyStage(next, stage ^ 1, shared);
    CommitCopies();
    warp.Attend(stage, first, rows.UsedKeys(first), seen, scale);
    if (next >= rows.end_keys()) break;
    WaitForCopies<0>();
    prepare(next, stage ^ 1);
  }
  warp.Store(rows);
}

template <typename Shape>
cudaError_t LaunchShortAttention(const Launch& launch, const ShortAttentionArgs& args,
                                 unsigned blocks) {
  constexpr int kBytes = sizeof(ShortShared<Shape>);
  static_assert(kBytes <= 99 << 10, "what every device since compute capability 8.0 has");
  const cudaError_t error = cudaFuncSetAttribute(
      ShortAttentionKernel<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  return LaunchKernel(launch, ShortAttentionKernel<Shape>, blocks, Shape::kThreads, kBytes, args);
}

template <int kDim, int kRows>
cudaError_t LaunchShortRows(const Launch& launch, const ShortAttentionArgs& args, unsigned blocks) {
  if (args.q_weight != nullptr) {
    return LaunchShortAttention<ShortShape<kDim, kRows, true, true>>(launch, args, blocks);
  }
  if (args.table != nullptr) {
    return LaunchShortAttention<ShortShape<kDim, kRows, true, false>>(launch, args, blocks);
  }
  return LaunchShortAttention<ShortShape<kDim, kRows, false, false>>(launch, args, blocks);
}

template <int kDim>
cudaError_t LaunchShort(const Launch& launch, const ShortAttentionArgs& args, int rows,
                        unsigned blocks) {
  if (rows == 16) return LaunchShortRows<kDim, 16>(launch, args, blocks);
  if (rows == 32) return LaunchShortRows<kDim, 32>(launch, args, blocks);
  if (rows == 64) return LaunchShortRows<kDim, 64>(launch, args, blocks);
  return cudaErrorInvalidValue;
}

}  // namespace rose::kernels
