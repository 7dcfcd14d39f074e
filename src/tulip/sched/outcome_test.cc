#include "tulip/sched/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <vector>

#include "tulip/sched/make_request.h"

namespace tulip {
namespace {

using std::chrono::microseconds;
using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A plan over whole requests of one-token sequences.
BatchPlan PlanOf(std::initializer_list<Slice> slices) {
  BatchPlan plan;
  for (Slice slice : slices) {
    slice.tokens = slice.sequences;
    plan.slices.push_back(slice);
    plan.sequences += slice.sequences;
    plan.tokens += slice.tokens;
  }
  return plan;
}

/// What a step of dense rows gave.
class DenseStep {
 public:
  DenseStep(std::span<const float> values, int64_t columns, microseconds compute = microseconds(0))
      : compute_(compute) {
    outputs_[hub::Output::kDense] = {.values = values,
                                     .rows = static_cast<int64_t>(values.size()) / columns,
                                     .columns = columns};
    shapes_[hub::Output::kDense] = {.columns = columns};
  }
  StepRows rows() const {
    return {.outputs = outputs_, .shapes = shapes_, .sparse_ids_left_out = {}, .compute = compute_};
  }

 private:
  hub::PerOutput<rose::OutputRows> outputs_;
  hub::PerOutput<rose::OutputShape> shapes_;
  microseconds compute_;
};

TEST(Outcome, RowsOfASplitRequestStandInItsOrder) {
  RequestList a = ListOfOne(MakeRequest({1, 1, 1}));
  RequestList b = ListOfOne(MakeRequest({1}));
  Request& split = a.front();
  split.taken = split.enqueued + microseconds(70);
  const std::vector<float> first = {1, 2, 3, 4};
  const std::vector<float> second = {5, 6, 7, 8};
  RecordRows(PlanOf({{.request = &split, .sequence = 0, .sequences = 2}}),
             DenseStep(first, 2, microseconds(30)).rows());
  RecordRows(PlanOf({{.request = &split, .sequence = 2, .sequences = 1},
                     {.request = &b.front(), .sequence = 0, .sequences = 1}}),
             DenseStep(second, 2, microseconds(20)).rows());
  const auto result = TakeOutcome(split);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->dense.values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(result->sequences, 3);
  EXPECT_EQ(result->dense.columns, 2);
  EXPECT_EQ(result->timing.queue_us, 70);
  EXPECT_EQ(result->timing.compute_us, 20);
  EXPECT_EQ(result->timing.batch_tokens, 2);
  EXPECT_THAT(TakeOutcome(b.front())->dense.values, ElementsAre(7, 8));
}

TEST(Outcome, Bug32_ARowThatIsNotFiniteFailsItsRequestAlone) {
  RequestList a = ListOfOne(MakeRequest({1, 1, 1, 1, 1}));
  RequestList b = ListOfOne(MakeRequest({1}));
  const std::vector<float> values = {1, 2, 3, kNan, kNan, 4, 5, 6};
  const int64_t bad_rows =
      RecordRows(PlanOf({{.request = &a.front(), .sequence = 2, .sequences = 3},
                         {.request = &b.front(), .sequence = 0, .sequences = 1}}),
                 DenseStep(values, 2).rows());
  EXPECT_EQ(bad_rows, 2);
  EXPECT_TRUE(a.front().failed);
  const auto failed = TakeOutcome(a.front());
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(failed.status().message(), "sequence 3: the model gave NaN");
  EXPECT_FALSE(b.front().failed);
  EXPECT_THAT(TakeOutcome(b.front())->dense.values, ElementsAre(5, 6));
}

TEST(Outcome, Bug31_EveryPlaceInTheRowAndEveryKindOfValueIsLookedAt) {
  constexpr int kColumns = 37;
  for (const float bad : {kNan, -kNan, kInfinity, -kInfinity}) {
    for (int place = 0; place < kColumns; ++place) {
      RequestList one = ListOfOne(MakeRequest({1}));
      std::vector<float> values(kColumns, std::numeric_limits<float>::max());
      values[place] = bad;
      EXPECT_EQ(RecordRows(PlanOf({{.request = &one.front(), .sequences = 1}}),
                           DenseStep(values, kColumns).rows()),
                1)
          << bad << " at " << place;
    }
  }
}

TEST(Outcome, ExtremeFiniteValuesPass) {
  RequestList one = ListOfOne(MakeRequest({1}));
  const std::vector<float> values = {std::numeric_limits<float>::max(),
                                     std::numeric_limits<float>::lowest(),
                                     std::numeric_limits<float>::denorm_min(), -0.0F};
  RecordRows(PlanOf({{.request = &one.front(), .sequences = 1}}), DenseStep(values, 4).rows());
  EXPECT_EQ(TakeOutcome(one.front())->dense.values, values);
}

TEST(Outcome, InfinityIsNamedApart) {
  RequestList one = ListOfOne(MakeRequest({1}));
  const std::vector<float> values = {-kInfinity};
  RecordRows(PlanOf({{.request = &one.front(), .sequences = 1}}), DenseStep(values, 1).rows());
  EXPECT_EQ(TakeOutcome(one.front()).status().message(),
            "sequence 0: the model gave an infinite value");
}

TEST(Outcome, TheFirstFailureIsTheOneTold) {
  RequestList one = ListOfOne(MakeRequest({1, 1}));
  RecordFailure(PlanOf({{.request = &one.front(), .sequences = 1}}),
                absl::InternalError("forward failed: first"));
  const std::vector<float> values = {kNan};
  RecordRows(PlanOf({{.request = &one.front(), .sequence = 1, .sequences = 1}}),
             DenseStep(values, 1).rows());
  one.front().ending = Ending::kFailed;
  EXPECT_EQ(TakeOutcome(one.front()).status().message(), "forward failed: first");
}

TEST(Outcome, EachEarlyEndingHasItsCode) {
  const std::pair<Ending, absl::StatusCode> cases[] = {
      {Ending::kCancelled, absl::StatusCode::kCancelled},
      {Ending::kDeadline, absl::StatusCode::kDeadlineExceeded},
      {Ending::kShutdown, absl::StatusCode::kUnavailable}};
  for (const auto& [ending, code] : cases) {
    RequestList one = ListOfOne(MakeRequest({1}));
    one.front().ending = ending;
    EXPECT_EQ(TakeOutcome(one.front()).status().code(), code);
  }
}

}  // namespace
}  // namespace tulip
