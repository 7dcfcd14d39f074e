#include <algorithm>

#include "rose/kernels/attention_plan.h"
#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/reduce.cuh"

namespace rose::kernels {
namespace {

constexpr int kWarps = 32;

struct PlanParams {
  TileGrid grid;
  AttentionPlan plan;
  const int32_t* cu_seqlens;
  int32_t sequences;
  int32_t heads;
  int32_t blocks;  ///< Of kFa3's kernel.
};

/// Tiles by class and by the warp whose sequences they are of, then how many come before them.
struct Counts {
  int32_t of_warp[kTileClassesMax][kWarps];
  int32_t of_class[kTileClassesMax];
  int32_t all;
};

__device__ int CeilDiv(int a, int b) { return (a + b - 1) / b; }

__device__ int WarpIndex() { return static_cast<int>(threadIdx.x) / kWarpSize; }
__device__ int LaneIndex() { return static_cast<int>(threadIdx.x) % kWarpSize; }

/// The sum over the lanes up to this one.
__device__ int SumUpToLane(int value) {
#pragma unroll
  for (int offset = 1; offset < kWarpSize; offset *= 2) {
    const int other = __shfl_up_sync(kWholeWarp, value, offset);
    if (LaneIndex() >= offset) value += other;
  }
  return value;
}

/// A sequence's tiles of the classes up to this one: those from its first.
__device__ int TilesUpTo(const TileGrid& grid, int length, int tile_class) {
  const int keys = tile_class * grid.class_keys;
  if (length <= keys || tile_class == grid.classes) return CeilDiv(length * grid.group, grid.rows);
  return grid.causal ? keys * grid.group / grid.rows : 0;
}

/// Calls visit(sequence, class, first tile, end of tiles) for each class and 32 sequences at a
/// time, those of the warp in turn; the sequence comes as a PlannedTile without the tile. All lanes
/// call it together.
template <typename Visit>
__device__ void VisitTiles(const PlanParams& p, const Visit& visit) {
  const int chunk = CeilDiv(CeilDiv(p.sequences, kWarps), kWarpSize) * kWarpSize;
  const int begin = WarpIndex() * chunk, end = min(begin + chunk, p.sequences);
  for (int first = begin; first < end; first += kWarpSize) {
    PlannedTile sequence{.sequence = first + LaneIndex()};
    if (sequence.sequence < end) {
      sequence.row = p.cu_seqlens[sequence.sequence];
      sequence.length = p.cu_seqlens[sequence.sequence + 1] - sequence.row;
    }
    const int longest = __reduce_max_sync(kWholeWarp, sequence.length);
    const int classes = min(CeilDiv(longest, p.grid.class_keys), p.grid.classes);
    int before = 0;
    for (int tile_class = 1; tile_class <= classes; ++tile_class) {
      const int up_to = TilesUpTo(p.grid, sequence.length, tile_class);
      visit(sequence, tile_class - 1, before, up_to);
      before = up_to;
    }
  }
}

__device__ void CountTiles(const PlanParams& p, Counts& counts) {
  for (int i = static_cast<int>(threadIdx.x); i < p.grid.classes * kWarps;
       i += static_cast<int>(blockDim.x)) {
    counts.of_warp[i / kWarps][i % kWarps] = 0;
  }
  __syncthreads();
  VisitTiles(p, [&](const PlannedTile& /*sequence*/, int tile_class, int before, int up_to) {
    const int sum = __reduce_add_sync(kWholeWarp, up_to - before);
    if (LaneIndex() == 0) counts.of_warp[tile_class][WarpIndex()] += sum;
  });
  __syncthreads();
}

/// Makes every count that of the tiles in front: of higher classes, and of lower warps.
__device__ void SumCounts(const PlanParams& p, Counts& counts) {
  for (int tile_class = WarpIndex(); tile_class < p.grid.classes; tile_class += kWarps) {
    const int count = counts.of_warp[tile_class][LaneIndex()];
    const int up_to = SumUpToLane(count);
    counts.of_warp[tile_class][LaneIndex()] = up_to - count;
    if (LaneIndex() == kWarpSize - 1) counts.of_class[tile_class] = up_to;
  }
  __syncthreads();
  if (WarpIndex() == 0) {
    int higher = 0;
    for (int top = p.grid.classes - 1; top >= 0; top -= kWarpSize) {
      const int tile_class = top - LaneIndex();
      const int count = tile_class >= 0 ? counts.of_class[tile_class] : 0;
      const int up_to = SumUpToLane(count);
      if (tile_class >= 0) counts.of_class[tile_class] = higher + up_to - count;
      higher += __shfl_sync(kWholeWarp, up_to, kWarpSize - 1);
    }
    if (LaneIndex() == 0) counts.all = higher;
  }
  __syncthreads();
}

__device__ void PlaceTiles(const PlanParams& p, Counts& counts) {
  VisitTiles(p, [&](PlannedTile sequence, int tile_class, int before, int up_to) {
    const int count = up_to - before;
    const int sum = SumUpToLane(count);
    int32_t& placed = counts.of_warp[tile_class][WarpIndex()];
    int at = counts.of_class[tile_class] + placed + sum - count;
    for (int tile = up_to - 1; tile >= before; --tile, ++at) {
      sequence.tile = tile;
      p.plan.tiles[at] = sequence;
    }
    __syncwarp();
    if (LaneIndex() == kWarpSize - 1) placed += sum;
    __syncwarp();
  });
  for (int64_t i = int64_t{counts.all} + threadIdx.x; i < p.plan.tiles_max; i += blockDim.x) {
    p.plan.tiles[i] = {};
  }
  if (threadIdx.x == 0) {
    p.plan.tile_count[0] = counts.all;
    p.plan.tile_count[1] = 1;
  }
  __syncthreads();
}

__device__ void MarkBlocks(const PlanParams& p) {
  for (int64_t i = threadIdx.x; i < p.plan.tiles_max; i += blockDim.x) {
    const PlannedTile tile = p.plan.tiles[i];
    p.plan.block_sequence[i] = tile.sequence;
    p.plan.block_tile[i] = tile.tile;
    p.plan.zeros[i] = 0;
    p.plan.used[i] = tile.length > 0;
  }
}

/// Entry r of block b is number r · blocks + b of all entries where r is even, and where it is odd
/// that from the round's end: who came last is served first.
__device__ void DealEntries(const PlanParams& p, int tiles) {
  const int entries = tiles * p.heads;
  const int rounds = entries / p.blocks, rest = entries % p.blocks;
  for (int block = WarpIndex(); block <= p.blocks; block += kWarps) {
    const int mirror = p.blocks - 1 - block;
    const int served = rounds % 2 == 0 ? min(block, rest) : max(0, block - (p.blocks - rest));
    const int begin = block * rounds + served;
    if (LaneIndex() == 0) p.plan.works_begin[block] = begin;
    if (block == p.blocks) return;
    const bool one_more = (rounds % 2 == 0 ? block : mirror) < rest;
    for (int round = LaneIndex(); round < rounds + one_more; round += kWarpSize) {
      const int entry = round * p.blocks + (round % 2 == 0 ? block : mirror);
      const PlannedTile tile = p.plan.tiles[entry / p.heads];
      p.plan.works_tile[begin + round] = tile.tile;
      p.plan.works_head[begin + round] = entry % p.heads;
      p.plan.works_row[begin + round] = tile.row;
      p.plan.works_length[begin + round] = tile.length;
    }
  }
}

/// One block. It does not let its successor start early: kFa2's kernel reads before it waits.
__global__ __launch_bounds__(kWarps* kWarpSize) void PlanAttentionKernel(PlanParams p) {
  WaitForPredecessor();
  __shared__ Counts counts;
  CountTiles(p, counts);
  SumCounts(p, counts);
  PlaceTiles(p, counts);
  if (p.plan.used != nullptr) MarkBlocks(p);
  if (p.plan.works_begin != nullptr) DealEntries(p, counts.all);
  __threadfence();
}

}  // namespace

cudaError_t PlanAttention(const Launch& launch, AttentionBackend backend,
                          const AttentionParams& params, const AttentionShape& shape,
                          const int32_t* cu_seqlens, int multiprocessors, void* workspace) {
  const PlanParams plan{.grid = TilesOf(backend, params, shape),
                        .plan = LayOutPlan(backend, params, shape, workspace),
                        .cu_seqlens = cu_seqlens,
                        .sequences = static_cast<int32_t>(shape.sequences),
                        .heads = params.heads,
                        .blocks = multiprocessors};
  return LaunchKernel(launch, PlanAttentionKernel, 1, kWarps * kWarpSize, 0, plan);
}

}  // namespace rose::kernels
