#include "tulip/sched/batch_former.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "tulip/sched/make_request.h"

namespace tulip {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

class BatchFormerTest : public ::testing::Test {
 protected:
  Request* Push(wire::InferenceRequest request) {
    RequestList one = ListOfOne(std::move(request), clock_.Now());
    Request* pushed = &one.front();
    EXPECT_TRUE(queue_.Push(one).ok());
    return pushed;
  }

  BatchPlan Form() {
    BatchPlan plan;
    former_.Form(queue_, clock_.Now(), plan);
    return plan;
  }

  static std::vector<int64_t> SliceTokens(const BatchPlan& plan) {
    std::vector<int64_t> tokens;
    for (const Slice& slice : plan.slices) tokens.push_back(slice.tokens);
    return tokens;
  }

  static std::vector<Ending> Endings(const BatchPlan& plan) {
    std::vector<Ending> endings;
    for (const Request& request : plan.ended) endings.push_back(request.ending);
    return endings;
  }

  common::VirtualClock clock_;
  RequestQueue queue_{QueueLimits{}};
  BatchFormer former_{100, 1000};
};

TEST_F(BatchFormerTest, NothingWaitsNothingFormed) { EXPECT_TRUE(Form().empty()); }

TEST_F(BatchFormerTest, ALoneRequestGoesAtOnce) {
  Push(MakeRequest({5}));
  const BatchPlan plan = Form();
  EXPECT_EQ(plan.tokens, 5);
  EXPECT_EQ(plan.sequences, 1);
  EXPECT_THAT(Endings(plan), ElementsAre(Ending::kTaken));
}

TEST_F(BatchFormerTest, TakesInOrderUntilTheBudgetIsFull) {
  Push(MakeRequest({60}));
  Push(MakeRequest({30}));
  Push(MakeRequest({11}));
  Push(MakeRequest({10}));  // Would fit, but its turn is after the 11.
  EXPECT_THAT(SliceTokens(Form()), ElementsAre(60, 30));
  EXPECT_THAT(SliceTokens(Form()), ElementsAre(11, 10));
}

TEST_F(BatchFormerTest, ABatchMayFillTheBudgetExactly) {
  Push(MakeRequest({60, 40, 1}));
  EXPECT_EQ(Form().tokens, 100);
  EXPECT_EQ(Form().tokens, 1);
}

TEST_F(BatchFormerTest, Bug20_ASequenceLongerThanTheBudgetRunsAlone) {
  Push(MakeRequest({1}));
  Push(MakeRequest({300}));
  Push(MakeRequest({1}));
  EXPECT_THAT(SliceTokens(Form()), ElementsAre(1));
  EXPECT_THAT(SliceTokens(Form()), ElementsAre(300));
  EXPECT_THAT(SliceTokens(Form()), ElementsAre(1));
}

TEST_F(BatchFormerTest, Bug30_ManyOneTokenSequencesShareABatch) {
  for (int i = 0; i < 120; ++i) Push(MakeRequest({1}));
  EXPECT_EQ(Form().sequences, 100);
  EXPECT_EQ(Form().sequences, 20);
}

TEST_F(BatchFormerTest, ABatchHasNoMoreSequencesThanAStepTakes) {
  BatchFormer former(100, 3);
  Push(MakeRequest({1, 1}));
  Push(MakeRequest({1, 1, 1}));
  std::vector<int64_t> sequences;
  while (!queue_.empty()) {
    BatchPlan plan;
    former.Form(queue_, clock_.Now(), plan);
    sequences.push_back(plan.sequences);
  }
  EXPECT_THAT(sequences, ElementsAre(3, 2));
}

TEST_F(BatchFormerTest, ARequestIsSplitOverBatchesAndEndsWithItsLastSequence) {
  Request* request = Push(MakeRequest({50, 40, 30, 90, 10}));
  const BatchPlan first = Form();
  EXPECT_EQ(first.sequences, 2);
  EXPECT_TRUE(first.ended.empty());
  const BatchPlan second = Form();
  ASSERT_EQ(second.slices.size(), 1U);
  EXPECT_EQ(second.slices[0].request, request);
  EXPECT_EQ(second.slices[0].sequence, 2);
  EXPECT_EQ(second.slices[0].token, 90);
  const BatchPlan third = Form();
  EXPECT_EQ(third.sequences, 2);
  EXPECT_THAT(Endings(third), ElementsAre(Ending::kTaken));
  EXPECT_TRUE(Form().empty());
}

TEST_F(BatchFormerTest, TheCancelledAndTheLateAreDroppedAndTheOthersTakeTheirPlace) {
  wire::InferenceRequest cancelled = MakeRequest({10});
  auto token = std::make_shared<wire::CancelToken>();
  cancelled.cancel = token;
  wire::InferenceRequest late = MakeRequest({20});
  late.deadline = clock_.Now() + milliseconds(5);
  Push(std::move(cancelled));
  Push(std::move(late));
  Push(MakeRequest({30}));
  token->Cancel();
  clock_.Advance(milliseconds(5));
  const BatchPlan plan = Form();
  EXPECT_THAT(SliceTokens(plan), ElementsAre(30));
  EXPECT_THAT(Endings(plan), ElementsAre(Ending::kCancelled, Ending::kDeadline, Ending::kTaken));
}

TEST_F(BatchFormerTest, ADeadlineStillAheadIsNoReasonToDrop) {
  wire::InferenceRequest request = MakeRequest({20});
  request.deadline = clock_.Now() + common::Duration(1);
  Push(std::move(request));
  EXPECT_EQ(Form().sequences, 1);
}

TEST_F(BatchFormerTest, APartlyRunRequestIsDroppedOnce) {
  wire::InferenceRequest request = MakeRequest({80, 80, 80});
  auto token = std::make_shared<wire::CancelToken>();
  request.cancel = token;
  Push(std::move(request));
  EXPECT_TRUE(Form().ended.empty());
  token->Cancel();
  const BatchPlan plan = Form();
  EXPECT_TRUE(plan.slices.empty());
  EXPECT_THAT(Endings(plan), ElementsAre(Ending::kCancelled));
  EXPECT_TRUE(Form().empty());
  EXPECT_EQ(queue_.tokens(), 0);
}

TEST_F(BatchFormerTest, NoMoreIsTakenOfARequestThatFailed) {
  Request* request = Push(MakeRequest({80, 80}));
  Form();
  request->failed = true;
  EXPECT_THAT(Endings(Form()), ElementsAre(Ending::kFailed));
}

TEST_F(BatchFormerTest, TheDeadAtTheBackGiveTheirRoomWithinASweep) {
  Push(MakeRequest(std::vector<int32_t>(10, 100)));
  wire::InferenceRequest dead = MakeRequest({1});
  dead.deadline = clock_.Now();
  Push(std::move(dead));
  EXPECT_TRUE(Form().ended.empty());
  clock_.Advance(BatchFormer::kSweepInterval);
  EXPECT_THAT(Endings(Form()), ElementsAre(Ending::kDeadline));
}

TEST_F(BatchFormerTest, EndAllLeavesNothing) {
  Push(MakeRequest({80, 80}));
  Push(MakeRequest({7}));
  Form();
  BatchPlan plan;
  BatchFormer::EndAll(queue_, plan);
  EXPECT_THAT(Endings(plan), ElementsAre(Ending::kShutdown, Ending::kShutdown));
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.tokens(), 0);
  EXPECT_EQ(queue_.sequences(), 0);
}

}  // namespace
}  // namespace tulip
