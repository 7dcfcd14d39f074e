#pragma once

#include <cstddef>
#include <cstdint>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/tile_product_args.h"
#include "rose/kernels/tile_product_epilogue.cuh"
#include "rose/kernels/tile_product_loader.cuh"
#include "rose/kernels/tile_product_multiplier.cuh"
#include "rose/kernels/tile_product_plans.h"
#include "rose/kernels/tile_product_ring.cuh"

namespace rose::kernels {

/// What a warpgroup that multiplies does from beginning to end.
template <TileProductPlan kPlan, bool kGated, typename ActivationOfForm>
__device__ __forceinline__ void MultiplyTiles(const TileProductArgs& args,
                                              const TileRing<kPlan>& ring, int warpgroup, int rank,
                                              int cluster, int clusters) {
  using Layout = TileLayout<kPlan>;
  constexpr int kTurns = kPlan.ping_pong ? Layout::kWarpgroups : 1;
  const int turn = kPlan.ping_pong ? warpgroup : 0;
  const int first_row = (kPlan.ping_pong ? 0 : warpgroup * Layout::kRows) + RowOfThread();
  TileWalk<kPlan, kGated> walk(args, args.rows);
  const bool at_once = walk.count() <= clusters;
  if (!at_once) {
    WaitForPredecessor();
    walk = TileWalk<kPlan, kGated>(args, UsedRows(args));
  }
  TileMultiplier<kPlan> multiplier(ring, warpgroup, rank);
  multiplier.Skip(turn * args.stages);
  if (kPlan.ping_pong && turn == 1 && cluster < walk.count()) multiplier.PassTurn();
  float sums[Layout::kProducts][kPlan.cols / 2] = {};
  for (int index = cluster + turn * clusters; index < walk.count(); index += kTurns * clusters) {
    walk.Go(index, rank);
    if (args.bias != nullptr) BeginSums<kGated>(args, walk.column, sums);
    if (at_once) WaitForPredecessor();
    if constexpr (kPlan.ping_pong) multiplier.WaitForTurn();
    multiplier.Run(args.stages, args.bias != nullptr, index + clusters < walk.count(), sums);
    multiplier.Skip((kTurns - 1) * args.stages);
#pragma unroll
    for (int product = 0; product < Layout::kProducts; ++product) {
      StoreTileRows<kGated, ActivationOfForm>(args, sums[product],
                                              walk.row + first_row + product * 64, walk.column);
    }
  }
}

/// A plan as a type: nvcc 13.0 cannot name kernels after values of classes.
template <int kCols, bool kPingPong>
struct TilePlanType {
  static constexpr TileProductPlan kPlan = {kCols, kPingPong};
};

/// Two warpgroups multiply and one thread loads.
template <typename PlanType, bool kGated, typename ActivationOfForm>
__global__ void __launch_bounds__(TileLayout<PlanType::kPlan>::kThreadsBound, 1)
    MultiplyInTiles(const __grid_constant__ TileProductArgs args) {
  constexpr TileProductPlan kPlan = PlanType::kPlan;
  using Layout = TileLayout<kPlan>;
  extern __shared__ uint8_t dynamic[];
  __shared__ alignas(8) uint64_t barriers[2 * Layout::kStages];
  const uint32_t start = SharedAddress(dynamic);
  const TileRing<kPlan> ring = {.stages = start + (-start & (Layout::kAlignment - 1u)),
                                .filled = SharedAddress(barriers),
                                .emptied = SharedAddress(barriers + Layout::kStages)};
  if (threadIdx.x == 0) {
    PrefetchMap(args.x);
    PrefetchMap(args.weight);
    ring.Init();
  }
  if constexpr (Layout::kBlocks > 1) {
    MeetCluster();
  } else {
    __syncthreads();
  }
  TriggerSuccessor();
  const int rank = static_cast<int>(blockIdx.x) % Layout::kBlocks;
  const int cluster = static_cast<int>(blockIdx.x) / Layout::kBlocks;
  const int clusters = static_cast<int>(gridDim.x) / Layout::kBlocks;
  // Known to be the same for a warp, so that descriptors of matrices are made once for it.
  const int warpgroup = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0);
  if (warpgroup == Layout::kWarpgroups) {
    ShrinkRegisters<Layout::kLoaderRegisters>();
    if (threadIdx.x % 128 == 0) {
      TileLoader<kPlan, kGated>(args, ring, rank).Run(cluster, clusters);
    } else {
      WaitForPredecessor();
    }
  } else {
    GrowRegisters<Layout::kMultiplierRegisters>();
    MultiplyTiles<kPlan, kGated, ActivationOfForm>(args, ring, warpgroup, rank, cluster, clusters);
  }
}

/// The kernel for `plan`.
template <bool kGated, typename ActivationOfForm, std::size_t kAt = 0>
TileProductEntry FindTileKernel(const TileProductPlan& plan) {
  if constexpr (kAt == kTilePlans.size()) {
    return {};
  } else {
    constexpr TileProductPlan kPlan = kTilePlans[kAt];
    using PlanType = TilePlanType<kPlan.cols, kPlan.ping_pong>;
    if (plan == kPlan) {
      return {MultiplyInTiles<PlanType, kGated, ActivationOfForm>, TileLayout<kPlan>::kSharedBytes};
    }
    return FindTileKernel<kGated, ActivationOfForm, kAt + 1>(plan);
  }
}

}  // namespace rose::kernels
