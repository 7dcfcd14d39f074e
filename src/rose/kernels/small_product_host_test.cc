#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "rose/kernels/small_product.h"
#include "rose/kernels/small_product_cases.h"
#include "rose/kernels/small_product_layout.h"

namespace rose::kernels {
namespace {

/// Distinct from one place to the next, and exact in bfloat16.
float ValueAt(int64_t row, int64_t column) {
  return static_cast<float>((row * 37 + column * 11) % 251 - 125);
}

std::vector<BFloat16> Matrix(int64_t rows, int64_t cols) {
  std::vector<BFloat16> matrix;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) matrix.push_back(BFloat16::FromFloat(ValueAt(r, c)));
  }
  return matrix;
}

std::vector<BFloat16> Packed(std::vector<BFloat16>& matrix, int64_t rows, int64_t cols,
                             bool gated) {
  std::vector<BFloat16> packed(matrix.size());
  EXPECT_EQ(PackedBytes(rows, cols), static_cast<int64_t>(packed.size() * sizeof(BFloat16)));
  PackSmallProductOnHost({matrix.data(), DType::kBFloat16, rows, cols}, gated, packed.data());
  return packed;
}

// What the tensor cores make of a panel's stage, as wgmma.cuh describes it: a warp's operands
// loaded and arranged as small_product_operands.cuh does, sums found where
// small_product_exchange.cuh does.
using WarpSums = std::array<std::array<float, 16>, 32>;

float WeightOperand(const BFloat16* stage, int row, int step, int k) {
  const int chunk = 2 * step + k / 8;
  return stage[row * 64 + (chunk ^ row % 8) * 8 + k % 8].ToFloat();
}

/// x [16 × 64]: element of row `row` that lane quarter `q` holds for product `step`, column k.
float TokenOperand(const float* x, int row, int step, int k) {
  const int q = k % 8 / 2;
  const float* sixteen_bytes = x + row * 64 + step / 2 * 32 + q * 8;
  const int word = step % 2 * 2 + k / 8;
  return sixteen_bytes[word * 2 + k % 2];
}

void MultiplyStage(const float* x, const BFloat16* stage, WarpSums& sums) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 16; ++i) {
      const int row = lane / 4 + 8 * (i / 2 % 2), column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      for (int step = 0; step < 4; ++step) {
        for (int k = 0; k < 16; ++k) {
          sums[lane][i] += TokenOperand(x, row, step, k) * WeightOperand(stage, column, step, k);
        }
      }
    }
  }
}

TEST(SmallProductPacking, GivesTheProductInTheOrderOfTheOutputs) {
  constexpr int kRows = 96, kCols = 128, kStages = kCols / kStageColumns;
  std::vector<BFloat16> weight = Matrix(kRows, kCols);
  for (const bool gated : {false, true}) {
    const std::vector<BFloat16> packed = Packed(weight, kRows, kCols, gated);
    for (int panel = 0; panel < kRows / kPanelRows; ++panel) {
      WarpSums sums = {};
      for (int stage = 0; stage < kStages; ++stage) {
        std::array<float, 16 * 64> x;
        for (int i = 0; i < 16 * 64; ++i) x[i] = ValueAt(i / 64 + 5, stage * 64 + i % 64 + 3);
        const BFloat16* at = packed.data() + (panel * kStages + stage) * kPanelStageBytes / 2;
        MultiplyStage(x.data(), at, sums);
      }
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < 16; ++i) {
          const int token = lane / 4 + 8 * (i / 2 % 2);
          const int output = panel * kPanelRows + 8 * (lane % 4) + 2 * (i / 4) + i % 2;
          float want = 0;
          for (int c = 0; c < kCols; ++c) {
            want += ValueAt(token + 5, c + 3) * ValueAt(WeightRow(output, kRows, gated), c);
          }
          ASSERT_EQ(sums[lane][i], want) << "gated " << gated << " lane " << lane << " sum " << i;
        }
      }
    }
  }
}

TEST(SmallProductPacking, AlternatesBetweenTheHalvesOfAGate) {
  EXPECT_EQ(WeightRow(0, 64, true), 0);
  EXPECT_EQ(WeightRow(1, 64, true), 32);
  EXPECT_EQ(WeightRow(2, 64, true), 1);
  EXPECT_EQ(WeightRow(63, 64, true), 63);
  EXPECT_EQ(WeightRow(63, 64, false), 63);
}

std::vector<SmallProductPlan> AllPlans() {
  std::vector<SmallProductPlan> plans;
  for (const auto form : {SmallProductForm::kLinear, SmallProductForm::kResidual}) {
    const auto some = SmallProductPlans(form);
    plans.insert(plans.end(), some.begin(), some.end());
  }
  return plans;
}

TEST(SmallProductOwners, OwnEverySlabAndPanelOnce) {
  for (const SmallProductPlan& plan : AllPlans()) {
    const SmallProductOwners owners = OwnersOf(plan);
    for (int in_use = 1; in_use <= 4 * plan.warpgroups; ++in_use) {
      std::vector<int> owned(plan.split);
      std::set<std::array<int, 2>> places;  // A rank and its place for a slab.
      for (int slab = 0; slab < in_use; ++slab) {
        for (int panel = 0; panel < owners.panels; ++panel) {
          const int rank = owners.Rank(slab, panel);
          ASSERT_LT(rank, plan.split);
          EXPECT_TRUE(owners.Owns(rank));
          EXPECT_EQ(owners.Panel(rank), panel);
          EXPECT_EQ(owners.Group(rank), slab % owners.groups);
          EXPECT_LT(slab / owners.groups, owners.slabs);
          EXPECT_TRUE(places.insert({rank, slab / owners.groups}).second);
          ++owned[rank];
        }
      }
      for (int rank = 0; rank < plan.split; ++rank) {
        EXPECT_EQ(owners.SlabsOf(rank, in_use), owned[rank])
            << plan.warpgroups << " " << plan.rows << " " << plan.split << " rank " << rank;
      }
    }
  }
}

TEST(ChooseSmallProduct, HasAPlanForEveryProductOfTheModels) {
  for (const SmallProductLayers& model : kSmallProductLayers) {
    for (const SmallProductCase& product : model.products) {
      for (int64_t tokens = 16; tokens <= kSmallProductTokensMax; tokens += 16) {
        const auto plan = ChooseSmallProduct(product.Shape(tokens));
        ASSERT_TRUE(plan) << model.name << " " << product.name << ", " << tokens << " tokens";
        EXPECT_TRUE(FitsPlan(product.Shape(tokens), *plan));
        EXPECT_EQ(plan->warpgroups, tokens > 64 ? 2 : 1);
      }
    }
  }
}

TEST(ChooseSmallProduct, TakesWhatWasMeasured) {
  const SmallProductCase& o = kSmallProductLayers[0].products[1];
  const auto few = ChooseSmallProduct(o.Shape(64)), many = ChooseSmallProduct(o.Shape(96));
  EXPECT_EQ(std::pair(few->rows, few->split), std::pair(64, 8));
  EXPECT_EQ(std::pair(many->rows, many->split), std::pair(32, 4));
}

TEST(ChooseSmallProduct, LeavesTheRestToTheLibrary) {
  const SmallProductShape qkv = kSmallProductLayers[0].products[0].Shape(16);
  EXPECT_TRUE(ChooseSmallProduct(qkv));
  SmallProductShape shape = qkv;
  for (const int64_t tokens : {0, 24, 144}) {
    shape.tokens = tokens;
    EXPECT_FALSE(ChooseSmallProduct(shape)) << tokens;
  }
  shape = qkv;
  for (const int64_t in_features : {0, 1056, 1088}) {  // 1088 has no sums of four panels.
    shape.in_features = in_features;
    EXPECT_FALSE(ChooseSmallProduct(shape)) << in_features;
  }
  shape = qkv;
  for (const int64_t out_features : {0, 4104, 19456}) {  // 19456 rows are too many blocks.
    shape.out_features = out_features;
    EXPECT_FALSE(ChooseSmallProduct(shape)) << out_features;
  }
}

TEST(ChooseSmallProduct, FollowsARuleElsewhere) {
  for (const int64_t out_features : {96, 320, 512, 896, 1056, 1280, 1536, 2048}) {
    for (const int64_t in_features : {320, 512, 896, 1280, 1536, 2048}) {
      const SmallProductShape shape = {.form = SmallProductForm::kResidual,
                                       .tokens = 64,
                                       .out_features = out_features,
                                       .in_features = in_features};
      const auto plan = ChooseSmallProduct(shape);
      ASSERT_TRUE(plan) << out_features << " x " << in_features;
      EXPECT_TRUE(FitsPlan(shape, *plan));
    }
  }
}

}  // namespace
}  // namespace rose::kernels
