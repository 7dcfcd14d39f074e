#pragma once

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/small_product_args.h"
#include "rose/kernels/small_product_epilogue.cuh"
#include "rose/kernels/small_product_exchange.cuh"
#include "rose/kernels/small_product_operands.cuh"
#include "rose/kernels/small_product_plans.h"

namespace rose::kernels {

/// A block's shared memory.
struct SharedParts {
  uint32_t weights;   ///< [stage][weight row][64], swizzled.
  uint32_t partials;  ///< What the others of the cluster send.
  uint32_t barriers;  ///< Of each stage's weights; the last one of the partials.
  __nv_bfloat16* norm_weight;

  /// Takes SmallProductSharedBytes from `dynamic` on. The same places in all blocks of a cluster:
  /// they write to each other's partials.
  __device__ SharedParts(uint8_t* dynamic, const void* stage_barriers, int weight_bytes,
                         int partial_bytes)
      : barriers(SharedAddress(stage_barriers)) {
    uint8_t* const aligned = dynamic + (-SharedAddress(dynamic) & 1023u);
    weights = SharedAddress(aligned);
    partials = weights + weight_bytes;
    norm_weight = reinterpret_cast<__nv_bfloat16*>(aligned + weight_bytes + partial_bytes);
  }
};

/// The norm's weight of a block's columns, into shared memory as bfloat16.
__device__ __forceinline__ void LoadNormWeight(const SmallProductArgs& args,
                                               const BlockShare& share, __nv_bfloat16* to) {
  const float* from = args.norm_weight + share.first_stage * kStageColumns;
  const auto threads = static_cast<int>(blockDim.x);
  for (auto i = static_cast<int>(threadIdx.x); i < share.stages * kStageColumns; i += threads) {
    to[i] = __float2bfloat16_rn(from[i]);
  }
}

/// What the columns of a stage are multiplied by: the norm's weight, or one. By nothing where the
/// stage is behind the last one.
template <bool kScaled>
__device__ __forceinline__ void LoadScale(const __nv_bfloat16* norm_weight, int lane, bool within,
                                          uint4 (&scale)[2]) {
  const uint32_t ones = within ? 0x3f803f80 : 0;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    scale[half] = {ones, ones, ones, ones};
    if constexpr (kScaled) {
      if (within)
        scale[half] = *reinterpret_cast<const uint4*>(norm_weight + half * 32 + lane % 4 * 8);
    }
  }
}

/// Multiplies all stages of a warp's slab, the activations of kDepth stages in flight. There is one
/// straight path through the products: on a second one the compiler would end each before it begins
/// the next. With one buffer no product is in flight where the path may end; with two, stages
/// behind the last multiply by nothing.
template <int kRows, int kDepth, int kBuffers, bool kScaled>
__device__ __forceinline__ void MultiplyStages(const Activations& x, const SharedParts& shared,
                                               int stages, int lane, float (&sums)[kRows / 2]) {
  static_assert(kDepth % kBuffers == 0);
  Operands operands[kDepth];
  Fragments a[kBuffers];
  x.Begin(operands);
  for (int begin = 0; begin < stages; begin += kDepth) {
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      const bool within = begin + d < stages;
      if (kBuffers == 1 && !within) break;
      const int stage = within ? begin + d : stages - 1;
      uint4 scale[2];
      LoadScale<kScaled>(shared.norm_weight + stage * kStageColumns, lane, within, scale);
      Arrange(operands[d], scale, a[d % kBuffers]);
      x.Continue(operands[d], begin + d + kDepth);
      WaitFirstPhase(shared.barriers + stage * 8);
      MultiplyStage<kRows>(sums, a[d % kBuffers], shared.weights + stage * kRows * kStageRowBytes);
      WaitProducts<kBuffers - 1>();  // Those that read the next fragments.
    }
  }
}

template <int kWarpgroups, int kRows, int kSplit, int kDepth, SmallProductForm kForm,
          SmallProductNorm kNorm>
__global__ void __launch_bounds__(kWarpgroups * 128, 2)
    SmallProductBlock(const __grid_constant__ SmallProductArgs args) {
  constexpr SmallProductPlan kPlan = {kWarpgroups, kRows, kSplit, kDepth};
  constexpr int kBuffers = kWarpgroups == 1 ? 2 : 1;
  constexpr bool kOfResidual = kForm == SmallProductForm::kResidual;
  constexpr bool kScaled = !kOfResidual && kNorm != SmallProductNorm::kNone;
  using Exchange = PartialExchange<kPlan>;
  extern __shared__ uint8_t dynamic[];
  __shared__ uint64_t barriers[kStagesMax + 1];
  __shared__ ColumnTerms<kRows> terms;

  const BlockShare share(kSplit, args.in_features);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, slab = thread / 32;
  const SharedParts shared(dynamic, barriers, share.most_stages * kRows * kStageRowBytes,
                           (kSplit - 1) * Exchange::Owners().slabs * kPartialBytes);
  const Exchange exchange(share.rank, lane, shared.partials, shared.barriers + kStagesMax * 8);

  // What depends on no predecessor.
  if (thread < share.stages) {
    StartWeights<kRows>(args, share, shared.weights, shared.barriers);
  }
  if (kSplit > 1 && thread == 0) exchange.Expect(args.tokens / kSlabTokens);
  TriggerSuccessor();
  LoadColumnTerms<kRows, kForm, kNorm>(args, share.tile, terms);
  if constexpr (kScaled) LoadNormWeight(args, share, shared.norm_weight);
  __syncthreads();
  if constexpr (kSplit > 1) MeetCluster();
  const Activations x(args, share, slab, lane);
  float sums[kRows / 2] = {};

  WaitForPredecessor();
  MultiplyStages<kRows, kDepth, kBuffers, kScaled>(x, shared, share.stages, lane, sums);

  // What the epilogue reads comes while the last products run.
  const bool owns = x.live() && exchange.Owns(slab);
  const int token = slab * kSlabTokens + lane / 4;
  const int column = share.tile * kRows + exchange.panel() * kPanelRows + lane % 4 * kRowSums;
  const int norm_width = kOfResidual ? args.out_features : args.in_features;
  Residual residual;
  RowMoments<kNorm> moments;
  if (owns) {
    if constexpr (kOfResidual) residual.Load(args, token, column);
    if constexpr (kNorm != SmallProductNorm::kNone) {
      moments.Load(args.row_sums, norm_width, token, lane);
    }
  }
  WaitProducts<0>();
#pragma unroll
  for (float& sum : sums) asm volatile("" : "+f"(sum)::"memory");

  if (!x.live()) return;
  if constexpr (kSplit > 1) exchange.Send(slab, sums);
  if (!owns) return;
  float own[kPanelSums];
  exchange.Own(sums, own);
  if constexpr (kNorm != SmallProductNorm::kNone) moments.Finish(norm_width, args.epsilon);
  if constexpr (kSplit > 1) exchange.AddOthers(slab, own);
  const float* const bias = terms.bias + column % kRows;
  const float* const slope = terms.slope + column % kRows;
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    float y[kRowSums];
    if constexpr (kOfResidual) {
      Finish(own, row, RowMoments<SmallProductNorm::kNone>(), bias, slope, y);
      residual.AddTo(y, row, moments, slope);
      const uint4 pairs = StoreRow(args, y, token + row * 8, column);
      if (args.row_sums_out != nullptr) StoreRowSums(args, pairs, token + row * 8, column);
    } else {
      Finish(own, row, moments, bias, slope, y);
      if constexpr (kForm == SmallProductForm::kGate) {
        StoreGatedRow(args, y, token + row * 8, column);
      } else {
        if (args.activates) Activate(args.activation, y);
        StoreRow(args, y, token + row * 8, column);
      }
    }
  }
}

/// The kernel for `plan` if it is one of kPlans, or null.
template <SmallProductForm kForm, SmallProductNorm kNorm, const auto& kPlans>
SmallProductKernel FindAmong(const SmallProductPlan& plan) {
  SmallProductKernel kernel = nullptr;
  const auto look = [&]<std::size_t kIndex>(std::integral_constant<std::size_t, kIndex>) {
    constexpr SmallProductPlan kPlan = kPlans[kIndex];
    if (plan == kPlan) {
      kernel =
          SmallProductBlock<kPlan.warpgroups, kPlan.rows, kPlan.split, kPlan.depth, kForm, kNorm>;
    }
  };
  [&]<std::size_t... kIndices>(std::index_sequence<kIndices...>) {
    (look(std::integral_constant<std::size_t, kIndices>{}), ...);
  }
  (std::make_index_sequence<kPlans.size()>{});
  return kernel;
}

}  // namespace rose::kernels
