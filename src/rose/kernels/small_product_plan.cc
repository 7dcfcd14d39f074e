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

/// What was fastest in whole chains on an H200 (docs/kernels/small_product.md).
struct Measured {
  int64_t out_features, in_features, tokens_min;
  int rows, split;
};
constexpr Measured kMeasured[] = {
    {.out_features = 4096, .in_features = 1024, .tokens_min = 0, .rows = 64, .split = 2},
    {.out_features = 6144, .in_features = 1024, .tokens_min = 0, .rows = 64, .split = 2},
    {.out_features = 1024, .in_features = 2048, .tokens_min = 96, .rows = 32, .split = 4},
    {.out_features = 1024, .in_features = 2048, .tokens_min = 0, .rows = 64, .split = 8},
    {.out_features = 1024, .in_features = 3072, .tokens_min = 0, .rows = 64, .split = 8},
};

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

bool Matches(const SmallProductShape& shape, const SmallProductPlan& plan) {
  for (const Measured& measured : kMeasured) {
    if (shape.out_features == measured.out_features && shape.in_features == measured.in_features &&
        shape.tokens >= measured.tokens_min) {
      return plan.rows == measured.rows && plan.split == measured.split;
    }
  }
  return true;
}

}  // namespace

std::span<const SmallProductPlan> SmallProductPlans(SmallProductForm form) {
  return PlansFor(form);
}

bool FitsPlan(const SmallProductShape& shape, const SmallProductPlan& plan) {
  const int64_t stages = shape.in_features / kStageColumns;
  const bool of_residual = shape.form == SmallProductForm::kResidual;
  if (of_residual && shape.norm == SmallProductNorm::kRms) return false;
  if ((of_residual ? shape.out_features : shape.in_features) % NormColumns(shape.norm) != 0)
    return false;
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
  for (const SmallProductPlan& plan : PlansFor(shape.form)) {
    if (plan.warpgroups != warpgroups || plan.depth != DepthFor(shape, plan)) continue;
    if (!FitsPlan(shape, plan) || !Matches(shape, plan)) continue;
    if (Blocks(shape, plan) > kBlocksMax) continue;
    if (!best || Cost(shape, plan) < Cost(shape, *best)) best = plan;
  }
  return best;
}

}  // namespace rose::kernels
