#pragma once

#include <cuda_bf16.h>

#include <cstdint>
#include <cstring>

#include "rose/kernels/device/mbarrier.cuh"
#include "rose/kernels/device/wgmma.cuh"
#include "rose/kernels/small_product_args.h"

// What a block of a small product multiplies: weights in shared memory, loaded before the
// predecessor has ended, and activations that go from the L2 cache straight to registers.

namespace rose::kernels {

/// What a block has to do: weight rows tile × plan.rows and on, over `stages` stages of columns.
struct BlockShare {
  int tile;
  int rank;         ///< In the cluster.
  int most_stages;  ///< Of any block of the cluster: where its shared memory is laid out by.
  int first_stage;
  int stages;

  __device__ BlockShare(int split, int in_features)
      : tile(static_cast<int>(blockIdx.x) / split), rank(static_cast<int>(blockIdx.x) % split) {
    const int all = in_features / kStageColumns;
    most_stages = (all + split - 1) / split;
    first_stage = rank * most_stages;
    stages = min(most_stages, all - first_stage);
  }
};

/// Starts the copies of the block's weights, each stage with a barrier of its own. The first
/// `stages` threads call.
template <int kRows>
__device__ __forceinline__ void StartWeights(const SmallProductArgs& args, const BlockShare& share,
                                             uint32_t weights, uint32_t barriers) {
  constexpr int kPanels = kRows / kPanelRows;
  const int stage = static_cast<int>(threadIdx.x);
  const int64_t all = args.in_features / kStageColumns;
  const uint32_t barrier = barriers + stage * 8;
  InitBarrier(barrier, 1);
  FenceBarrierInit();
  ArriveExpecting(barrier, kRows * kStageRowBytes);
#pragma unroll
  for (int panel = 0; panel < kPanels; ++panel) {
    const int64_t at = (share.tile * kPanels + panel) * all + share.first_stage + stage;
    CopyToShared(weights + (stage * kPanels + panel) * kPanelStageBytes,
                 args.packed + at * kPanelStageBytes, kPanelStageBytes, barrier);
  }
}

/// A thread's operands of one stage: [half of its columns][token lane / 4 or 8 more], of each the
/// 8 columns from 8 (lane % 4) on.
using Operands = uint4[2][2];

/// Where a warp finds the 16 tokens of its slab.
class Activations {
 public:
  __device__ Activations(const SmallProductArgs& args, const BlockShare& share, int slab, int lane)
      : stages_(slab * kSlabTokens < args.tokens ? share.stages : 0),
        eight_rows_(8 * args.in_features) {
    const int64_t token = slab * kSlabTokens + lane / 4;
    low_ = args.x + token * args.in_features + share.first_stage * kStageColumns + lane % 4 * 8;
  }

  /// Whether the slab holds tokens at all.
  __device__ bool live() const { return stages_ > 0; }

  /// Begins to load the first kDepth stages; where there are fewer, the last one again. Nothing
  /// without tokens: what comes of it is nobody's.
  template <int kDepth>
  __device__ __forceinline__ void Begin(Operands (&to)[kDepth]) const {
    if (stages_ >= kDepth) {
#pragma unroll
      for (int d = 0; d < kDepth; ++d) Load(to[d], d);
    } else if (live()) {
#pragma unroll
      for (int d = 0; d < kDepth; ++d) Load(to[d], min(d, stages_ - 1));
    }
  }

  /// Begins to load a stage where there is one, else leaves `to` as it is. Without a branch, since
  /// one around products in flight may make the compiler wait for each.
  __device__ __forceinline__ void Continue(Operands& to, int stage) const {
    const int within = stage < stages_;
    const __nv_bfloat16* const low = low_ + stage * kStageColumns;
    const __nv_bfloat16* const high = low + eight_rows_;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      LoadIf(within, to[half][0], low + half * 32);
      LoadIf(within, to[half][1], high + half * 32);
    }
  }

 private:
  __device__ __forceinline__ void Load(Operands& to, int stage) const {
    const __nv_bfloat16* const low = low_ + stage * kStageColumns;
    const __nv_bfloat16* const high = low + eight_rows_;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      to[half][0] = __ldcg(reinterpret_cast<const uint4*>(low + half * 32));
      to[half][1] = __ldcg(reinterpret_cast<const uint4*>(high + half * 32));
    }
  }

  static __device__ __forceinline__ void LoadIf(int wanted, uint4& to, const void* from) {
    asm volatile(
        "{\n"
        ".reg .pred wanted;\n"
        "setp.ne.s32 wanted, %5, 0;\n"
        "@wanted ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];\n"
        "}"
        : "+r"(to.x), "+r"(to.y), "+r"(to.z), "+r"(to.w)
        : "l"(from), "r"(wanted)
        : "memory");
  }

  int stages_;
  int eight_rows_;
  const __nv_bfloat16* low_;
};

/// What one product of 16 columns reads: rows lane / 4 and lane / 4 + 8 in turns.
using Fragments = uint4[4];

__device__ __forceinline__ uint32_t MultiplyPairs(uint32_t a, uint32_t b) {
  uint32_t product;
  asm volatile("mul.rn.bf16x2 %0, %1, %2;" : "=r"(product) : "r"(a), "r"(b));
  return product;
}

/// Puts a stage's operands into the registers that products read, multiplied by the norm's weight.
/// Without a norm by one: the multiplication is the move that is needed anyway, and keeps the
/// compiler from moving, and so from waiting, as soon as the loads are under way.
__device__ __forceinline__ void Arrange(const Operands& operands, const uint4 (&scale)[2],
                                        Fragments& a) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const uint4 &low = operands[half][0], &high = operands[half][1], &by = scale[half];
    a[2 * half] = {MultiplyPairs(low.x, by.x), MultiplyPairs(high.x, by.x),
                   MultiplyPairs(low.y, by.y), MultiplyPairs(high.y, by.y)};
    a[2 * half + 1] = {MultiplyPairs(low.z, by.z), MultiplyPairs(high.z, by.z),
                       MultiplyPairs(low.w, by.w), MultiplyPairs(high.w, by.w)};
  }
}

/// Begins sums += a × the weights of a stage, one group of products.
template <int kRows>
__device__ __forceinline__ void MultiplyStage(float (&sums)[kRows / 2], const Fragments& a,
                                              uint32_t weights) {
  constexpr int kColumns16 = 2;  // 16 columns of a row, in the descriptor's units of 16 bytes.
  const uint64_t b = SwizzledMatrix(weights);
  FenceProducts();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    Wgmma<kRows>::Accumulate(sums, a[i].x, a[i].y, a[i].z, a[i].w, b + i * kColumns16);
  }
  CommitProducts();
}

}  // namespace rose::kernels
