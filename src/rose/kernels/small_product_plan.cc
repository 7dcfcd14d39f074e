#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "rose/kernels/small_product.h"
#include "rose/kernels/small_product_layout.h"
#include "rose/kernels/small_product_plans.h"

namespace rose::kernels {
namespace {

// Of an H200, the smallest Hopper this is meant for.
constexpr int64_t kMultiprocessors = 132;
constexpr int64_t kBlocksMax = 2 * kMultiprocessors;
/// So that two blocks lie on a multiprocessor, this kernel's and the next one's.
constexpr int64_t kSharedBytesMax = 112 * 1024;

std::span<const SmallProductPlan> PlansFor(SmallProductForm form) {
  if (form == SmallProductForm::kResidual) return kNarrowPlans;
  return kWidePlans;
}

int64_t Blocks(const SmallProductShape& shape, const SmallProductPlan& plan) {
  return shape.out_features / plan.rows * plan.split;
}

/// What a multiprocessor with the most blocks moves, in bytes, which is what the time follows:
/// weights and activations into each block, partial sums between them, and a start-up.
int64_t Cost(const SmallProductShape& shape, const SmallProductPlan& plan) {
  constexpr int64_t kStartup = 16 * 1024;
  const int64_t stages = StagesOfBlock(plan, shape.in_features);
  const int64_t padded = (stages + plan.depth - 1) / plan.depth * plan.depth;
  const int64_t rounds = (Blocks(shape, plan) + kMultiprocessors - 1) / kMultiprocessors;
  const int64_t operands = padded * (plan.rows + shape.tokens) * kStageRowBytes;
  const int64_t partials = shape.tokens * plan.rows * 2 * (plan.split - 1);
  return rounds * (operands + partials + kStartup);
}

/// Deep enough to have all stages in flight, where the registers of more than one block a
/// multiprocessor are not needed.
int DepthFor(const SmallProductShape& shape, const SmallProductPlan& plan) {
  if (plan.warpgroups == 2) return 3;
  if (Blocks(shape, plan) > kMultiprocessors) return 4;
  const int stages = StagesOfBlock(plan, shape.in_features);
  return std::clamp((stages + 1) / 2 * 2, 4, 8);
}

/// What was fastest in whole chains on an H200 (docs/kernels/small_product.md), up to `tokens`.
struct Measured {
  int64_t out_features, in_features, tokens;
  SmallProductPlan plan;
};
constexpr Measured kMeasured[] = {
    {4096, 1024, 64, {1, 64, 2, 8}}, {4096, 1024, 128, {2, 64, 2, 3}},
    {6144, 1024, 64, {1, 64, 2, 4}}, {6144, 1024, 128, {2, 64, 2, 3}},
    {1024, 2048, 64, {1, 64, 8, 4}}, {1024, 2048, 128, {2, 32, 4, 3}},
    {1024, 3072, 64, {1, 64, 8, 6}}, {1024, 3072, 128, {2, 64, 8, 3}},
};

const Measured* FindMeasured(const SmallProductShape& shape) {
  for (const Measured& measured : kMeasured) {
    if (shape.out_features == measured.out_features && shape.in_features == measured.in_features &&
        shape.tokens <= measured.tokens) {
      return &measured;
    }
  }
  return nullptr;
}

/// A row that goes through a norm has a multiple of this: a thread reads 16 bytes of its sums.
int64_t NormColumns(SmallProductNorm norm) {
  switch (norm) {
    case SmallProductNorm::kNone:
      return 1;
    case SmallProductNorm::kRms:
      return 4 * kPanelRows;
    case SmallProductNorm::kLayer:
      return 2 * kPanelRows;
  }
  return 1;
}

}  // namespace

std::span<const SmallProductPlan> SmallProductPlans(SmallProductForm form) {
  return PlansFor(form);
}

bool FitsPlan(const SmallProductShape& shape, const SmallProductPlan& plan) {
  const int64_t stages = shape.in_features / kStageColumns;
  const bool of_residual = shape.form == SmallProductForm::kResidual;
  if (of_residual && shape.norm == SmallProductNorm::kRms) return false;
  const int64_t norm_cols = of_residual ? shape.out_features : shape.in_features;
  if (norm_cols % NormColumns(shape.norm) != 0) return false;
  if (shape.tokens <= 0 || shape.tokens % kSlabTokens != 0) return false;
  if (shape.tokens > int64_t{64} * plan.warpgroups) return false;
  if (shape.in_features % kStageColumns != 0 || shape.in_features <= 0) return false;
  if (shape.out_features % plan.rows != 0 || shape.out_features <= 0) return false;
  const int64_t per_block = StagesOfBlock(plan, shape.in_features);
  return per_block <= kStagesMax && per_block * (plan.split - 1) < stages &&
         SmallProductSharedBytes(plan, shape.in_features) <= kSharedBytesMax;
}

std::optional<SmallProductPlan> ChooseSmallProduct(const SmallProductShape& shape) {
  std::optional<SmallProductPlan> best;
  if (shape.tokens > kSmallProductTokensMax) return best;
  const int warpgroups = shape.tokens > 64 ? 2 : 1;
  const Measured* measured = FindMeasured(shape);
  for (const SmallProductPlan& plan : PlansFor(shape.form)) {
    if (plan.warpgroups != warpgroups || !FitsPlan(shape, plan)) continue;
    if (measured != nullptr && plan == measured->plan) return plan;
    if (plan.depth != DepthFor(shape, plan) || Blocks(shape, plan) > kBlocksMax) continue;
    if (!best || Cost(shape, plan) < Cost(shape, *best)) best = plan;
  }
  return best;
}

}  // namespace rose::kernels
