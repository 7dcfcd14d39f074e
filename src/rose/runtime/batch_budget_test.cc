#include "rose/runtime/batch_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <vector>

namespace rose {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(ChooseBatchBudget, TakesTheSmallestCountThatReachesTheShare) {
  const BatchCurve curve = {
      {64, 64}, {128, 80}, {256, 140}, {512, 256}};  // Tokens/us 1, 1.6, 1.83, 2.
  EXPECT_EQ(ChooseBatchBudget(curve, 1), 512);
  EXPECT_EQ(ChooseBatchBudget(curve, 0.91), 256);
  EXPECT_EQ(ChooseBatchBudget(curve, 0.8), 128);
  EXPECT_EQ(ChooseBatchBudget(curve, 0.5), 64);
}

TEST(ChooseBatchBudget, AFasterSmallCountWins) {
  EXPECT_EQ(ChooseBatchBudget({{64, 10}, {128, 40}, {256, 70}}, 0.95), 64);
  EXPECT_EQ(ChooseBatchBudget({{16, 1}}, 0.95), 16);
}

TEST(WithinStepTime, AQuarterOfASecondAtTheBestRate) {
  const BatchCurve curve = {{100, 200'000}, {200, 200'000}};  // The best: 1000 tokens/s.
  EXPECT_EQ(WithinStepTime(curve, 400), 250);
  EXPECT_EQ(WithinStepTime(curve, 100), 100);
  EXPECT_EQ(WithinStepTime(curve, 0), 0);
}

/// Takes the time that `cost` says for each step, on a virtual clock.
class TimedEngine final : public Engine {
 public:
  using Cost = std::function<std::chrono::microseconds(int64_t tokens)>;
  explicit TimedEngine(Cost cost) : cost_(std::move(cost)) {
    info_.vocabulary_size = 10;
    info_.outputs[hub::Output::kScores] = {.columns = 1};
  }

  const EngineInfo& info() const override { return info_; }
  int steps_in_flight_max() const override { return 2; }
  std::unique_ptr<LazyTensor> Step(const Batch& batch) override {
    class Done final : public LazyTensor {
     public:
      bool Ready() const override { return true; }
      hub::PerOutput<OutputRows> Wait() override { return {}; }
    };
    EXPECT_EQ(batch.cu_seqlens.back(), batch.tokens());
    EXPECT_EQ(batch.outputs, hub::Output::kScores);
    EXPECT_EQ(static_cast<int64_t>(batch.normalize.size()), batch.sequences());
    for (int64_t s = 0; s < batch.sequences(); ++s) {
      lengths_.push_back(batch.cu_seqlens[s + 1] - batch.cu_seqlens[s]);
    }
    ids_.insert(ids_.end(), batch.ids.begin(), batch.ids.end());
    steps_.push_back(batch.tokens());
    clock_.Advance(cost_(batch.tokens()));
    return std::make_unique<Done>();
  }

  Cost cost_;
  EngineInfo info_;
  common::VirtualClock clock_;
  std::vector<int64_t> steps_;
  std::vector<int32_t> lengths_, ids_;
};

std::chrono::microseconds Linear(int64_t tokens) { return std::chrono::microseconds(100 + tokens); }

TEST(MeasureBatchCurve, GrowsUpToTheLargestStep) {
  TimedEngine engine(Linear);
  const BatchCurve curve =
      MeasureBatchCurve(engine, {.tokens_max = 100, .length_max = 40}, engine.clock_);
  EXPECT_THAT(curve, ElementsAre(Pair(16, 116), Pair(24, 124), Pair(32, 132), Pair(48, 148),
                                 Pair(64, 164), Pair(96, 196)));
  EXPECT_THAT(engine.steps_, SizeIs(6 * 5));
  EXPECT_THAT(engine.lengths_, Each(::testing::AllOf(Ge(1), ::testing::Le(40))));
  EXPECT_THAT(engine.ids_, Each(::testing::AllOf(Ge(0), ::testing::Lt(10))));
}

TEST(MeasureBatchCurve, ASmallLimitIsMeasuredItself) {
  TimedEngine engine(Linear);
  const CurveLimits limits = {.tokens_max = 5, .length_max = 512};
  EXPECT_THAT(MeasureBatchCurve(engine, limits, engine.clock_), ElementsAre(Pair(5, 105)));
}

TEST(MeasureBatchCurve, KeepsTheShortestOfItsRuns) {
  int run = 0;
  TimedEngine engine([&](int64_t) { return std::chrono::microseconds(++run == 3 ? 70 : 90); });
  const CurveLimits limits = {.tokens_max = 16, .length_max = 512};
  EXPECT_THAT(MeasureBatchCurve(engine, limits, engine.clock_), ElementsAre(Pair(16, 70)));
}

TEST(MeasureBatchCurve, Bug46_StaysWithinItsTime) {
  TimedEngine engine([](int64_t tokens) { return std::chrono::milliseconds(tokens); });
  const BatchCurve curve = MeasureBatchCurve(
      engine, {.tokens_max = 16384, .length_max = 512, .time = std::chrono::seconds(1)},
      engine.clock_);
  EXPECT_LE(engine.clock_.Now().time_since_epoch(), std::chrono::seconds(1));
  EXPECT_GE(curve.back().first, 64);
}

TEST(MeasureBatchCurve, OneStepIsAlwaysMeasured) {
  TimedEngine engine([](int64_t) { return std::chrono::hours(1); });
  const CurveLimits limits = {.tokens_max = 16384, .length_max = 512};
  EXPECT_THAT(MeasureBatchCurve(engine, limits, engine.clock_),
              ElementsAre(Pair(16, 3'600'000'000)));
}

TEST(MeasureBatchBudget, Bug46_CanBeLeftOut) {
  TimedEngine engine(Linear);
  EngineInfo info = {.saturation_tokens = 7};
  MeasureBatchBudget(engine, {}, {.measure_curve = false}, 512, info);
  EXPECT_EQ(info.saturation_tokens, 7);
  EXPECT_THAT(engine.steps_, IsEmpty());
}

/// Of an engine whose steps take no time, so that the shortest of the curve would do.
int64_t BudgetOf(int64_t side_by_side_tokens, int64_t max_batch_tokens) {
  TimedEngine engine([](int64_t) { return std::chrono::microseconds(0); });
  hub::ModelFolder folder;
  folder.max_length = 40;
  EngineInfo info;
  MeasureBatchBudget(engine, folder,
                     {.max_batch_tokens = max_batch_tokens, .batch_efficiency = 0.1},
                     side_by_side_tokens, info);
  return info.saturation_tokens;
}

TEST(MeasureBatchBudget, IsAtLeastWhatRunsSideBySide) {
  EXPECT_EQ(BudgetOf(0, 64), 16);
  EXPECT_EQ(BudgetOf(48, 64), 48);
  EXPECT_EQ(BudgetOf(512, 64), 64);  // No step takes more.
}

}  // namespace
}  // namespace rose
