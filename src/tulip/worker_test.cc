#include "tulip/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tulip/worker_fixture.h"

namespace tulip {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(WorkerTest, RowsStandInTheRequestsOrder) {
  Start({});
  Infer(0, MakeRequest({3, 1, 2}, 10));
  const auto result = answers_.Get(0);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->sequences, 3);
  EXPECT_EQ(result->dense.columns, 4);
  EXPECT_THAT(result->dense.values, ElementsAre(10, 12, 3, 0, 13, 13, 1, 0, 14, 15, 2, 0));
  EXPECT_EQ(result->timing.batch_tokens, 6);
  EXPECT_EQ(result->load_tokens, 0);
}

TEST_F(WorkerTest, PromptLengthsAndNormalizeReachTheEngineByRow) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({1}));
  engine_->WaitForSteps(1);
  wire::InferenceRequest raw = MakeRequest({2, 2}, 10);
  raw.normalize = false;
  raw.prompt_lengths = {1, 2};
  Infer(1, std::move(raw));
  Infer(2, MakeRequest({2}, 20));
  engine_->ReleaseAll();
  EXPECT_THAT(answers_.Get(1)->dense.values, ElementsAre(10, 11, 2, 1, 12, 13, 2, 2));
  EXPECT_THAT(answers_.Get(2)->dense.values, ElementsAre(20, 21, 2, 0));
  EXPECT_THAT(engine_->seen()[1].normalize, ElementsAre(0, 0, 1));
}

TEST_F(WorkerTest, WhatArrivesDuringAStepGoesTogetherInTheNext) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({5}, 0));
  engine_->WaitForSteps(1);
  for (int key = 1; key <= 3; ++key) Infer(key, MakeRequest({5}, key * 100));
  engine_->Release(1);
  engine_->WaitForSteps(2);
  engine_->Release(1);
  for (int key = 0; key <= 3; ++key) EXPECT_TRUE(answers_.Get(key).ok());
  EXPECT_THAT(engine_->seen()[1].first_ids, ElementsAre(100, 200, 300));
}

TEST_F(WorkerTest, FairTakesTurnsBetweenJobs) {
  Start({.budget_tokens = 20, .steps_in_flight_max = 1, .held = true}, {}, Schedule::kFair);
  EXPECT_EQ(worker_->info().schedule, "fair");
  Infer(0, MakeRequest({1}));
  engine_->WaitForSteps(1);
  wire::InferenceRequest bulk = MakeRequest({10, 10, 10, 10}, 100);
  bulk.job = 7;
  Infer(1, std::move(bulk));
  Infer(2, MakeRequest({5}, 200));
  engine_->ReleaseAll();
  EXPECT_THAT(answers_.Get(1)->dense.values,
              ElementsAre(100, 109, 10, 0, 110, 119, 10, 0, 120, 129, 10, 0, 130, 139, 10, 0));
  EXPECT_THAT(engine_->seen()[1].first_ids, ElementsAre(200, 100));
}

TEST_F(WorkerTest, AsManyStepsInFlightAsTheEngineTakesAndNoMore) {
  Start({.steps_in_flight_max = 2, .held = true});  // The fake engine aborts on a third.
  Infer(0, MakeRequest({1}, 0));
  engine_->WaitForSteps(1);
  Infer(1, MakeRequest({1}, 1));
  engine_->WaitForSteps(2);
  Infer(2, MakeRequest({1}, 2));
  Infer(3, MakeRequest({1}, 3));
  engine_->Release(1);
  engine_->WaitForSteps(3);
  EXPECT_THAT(engine_->seen()[2].first_ids, ElementsAre(2, 3));
  engine_->ReleaseAll();
  for (int key = 0; key <= 3; ++key) EXPECT_TRUE(answers_.Get(key).ok());
}

TEST_F(WorkerTest, Bug28_ARequestLargerThanTheBudgetIsSplitAndJoinedInOrder) {
  Start({.budget_tokens = 4});
  Infer(0, MakeRequest({3, 3, 1, 60, 2, 2}, 0));
  const auto result = answers_.Get(0);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->dense.values, ElementsAre(0, 2, 3, 0, 3, 5, 3, 0, 6, 6, 1, 0, 7, 66, 60, 0,
                                                67, 68, 2, 0, 69, 70, 2, 0));
  EXPECT_EQ(result->timing.batch_tokens, 60);
  EXPECT_EQ(engine_->seen().size(), 4U);
}

TEST_F(WorkerTest, Bug32_ARowOfNanFailsItsRequestAlone) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({1}));
  engine_->WaitForSteps(1);
  wire::InferenceRequest bad = MakeRequest({1, 1, 1, 1});
  bad.ids[3] = FakeEngine::kNanId;
  Infer(1, MakeRequest({2}, 10));
  Infer(2, std::move(bad));
  Infer(3, MakeRequest({2}, 30));
  engine_->ReleaseAll();
  EXPECT_TRUE(answers_.Get(1).ok());
  EXPECT_EQ(answers_.Get(2).status(), absl::InternalError("sequence 3: the model gave NaN"));
  EXPECT_THAT(answers_.Get(3)->dense.values, ElementsAre(30, 31, 2, 0));
  EXPECT_EQ(engine_->seen()[1].first_ids.size(), 6U) << "they shared a batch";
  EXPECT_TRUE(client_->Healthy());
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("parterre_nonfinite_rows_total{device=\"d\",model=\"m\"} 1\n"));
}

TEST_F(WorkerTest, AfterARowOfNanTheRestOfItsRequestIsNotRun) {
  Start({.budget_tokens = 1, .steps_in_flight_max = 1, .held = true});
  wire::InferenceRequest bad = MakeRequest({1, 1, 1, 1});
  bad.ids[0] = FakeEngine::kNanId;
  Infer(0, std::move(bad));
  engine_->ReleaseAll();
  EXPECT_EQ(answers_.Get(0).status(), absl::InternalError("sequence 0: the model gave NaN"));
  EXPECT_EQ(engine_->seen().size(), 1U);
}

TEST_F(WorkerTest, Bug64_CancelledAndLateRequestsNeverReachTheEngine) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({1}));
  engine_->WaitForSteps(1);
  auto cancel = std::make_shared<wire::CancelToken>();
  wire::InferenceRequest cancelled = MakeRequest({1}, 100);
  cancelled.cancel = cancel;
  wire::InferenceRequest late = MakeRequest({1}, 200);
  late.deadline = clock_.Now() + milliseconds(5);
  Infer(1, std::move(cancelled));
  Infer(2, std::move(late));
  Infer(3, MakeRequest({1}, 300));
  cancel->Cancel();
  clock_.Advance(milliseconds(5));
  engine_->ReleaseAll();
  EXPECT_EQ(CodeOf(1), absl::StatusCode::kCancelled);
  EXPECT_EQ(CodeOf(2), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(answers_.Get(3).ok());
  EXPECT_THAT(engine_->seen()[1].first_ids, ElementsAre(300));
  const std::string text = metrics_.Text();
  EXPECT_THAT(
      text, HasSubstr("dropped_requests_total{device=\"d\",model=\"m\",reason=\"cancelled\"} 1\n"));
  EXPECT_THAT(
      text, HasSubstr("dropped_requests_total{device=\"d\",model=\"m\",reason=\"deadline\"} 1\n"));
}

TEST_F(WorkerTest, APartlyRunRequestThatIsCancelledIsAnsweredOnceAfterItsSteps) {
  Start({.budget_tokens = 1, .steps_in_flight_max = 1, .held = true});
  auto cancel = std::make_shared<wire::CancelToken>();
  wire::InferenceRequest request = MakeRequest({1, 1, 1});
  request.cancel = cancel;
  Infer(0, std::move(request));
  engine_->WaitForSteps(1);
  cancel->Cancel();
  EXPECT_FALSE(answers_.Has(0));
  engine_->ReleaseAll();
  EXPECT_EQ(CodeOf(0), absl::StatusCode::kCancelled);
  EXPECT_EQ(engine_->seen().size(), 1U);
}

TEST_F(WorkerTest, ARequestCancelledAfterItWasTakenStillGetsItsRows) {
  Start({.held = true});
  auto cancel = std::make_shared<wire::CancelToken>();
  wire::InferenceRequest request = MakeRequest({1});
  request.cancel = cancel;
  Infer(0, std::move(request));
  engine_->WaitForSteps(1);
  cancel->Cancel();
  engine_->ReleaseAll();
  EXPECT_TRUE(answers_.Get(0).ok());
}

TEST_F(WorkerTest, Bug62_AFullQueueRefusesAtOnceWithTheNumbers) {
  Start({.steps_in_flight_max = 1, .held = true},
        {.max_queue_tokens = 10, .max_concurrent_requests = 3});
  Infer(0, MakeRequest({60}));  // Over the bound alone.
  EXPECT_EQ(CodeOf(0), absl::StatusCode::kResourceExhausted);
  Infer(1, MakeRequest({10}));
  engine_->WaitForSteps(1);
  Infer(2, MakeRequest({8}));
  Infer(3, MakeRequest({3}));
  ASSERT_TRUE(answers_.Has(3)) << "refused before Infer returns";
  EXPECT_EQ(answers_.Get(3).status(),
            absl::ResourceExhaustedError(
                "queue full: 8 tokens wait, 3 more exceed --max-queue-tokens (10)"));
  Infer(4, MakeRequest({1, 1}));
  Infer(5, MakeRequest({1}));
  EXPECT_EQ(CodeOf(5), absl::StatusCode::kResourceExhausted);
  engine_->ReleaseAll();
  EXPECT_TRUE(answers_.Get(4).ok());
  Infer(6, MakeRequest({10}));
  EXPECT_TRUE(answers_.Get(6).ok()) << "room again";
  EXPECT_THAT(
      metrics_.Text(),
      HasSubstr("rejected_requests_total{device=\"d\",model=\"m\",reason=\"queue_full\"} 3\n"));
}

TEST_F(WorkerTest, AMalformedRequestIsRefusedBeforeItIsQueued) {
  Start({});
  Infer(0, MakeRequest({FakeEngine::kMaxLength + 1}));
  EXPECT_EQ(answers_.Get(0).status(),
            absl::InvalidArgumentError("sequence 0: length 65, expected 1 to 64"));
  wire::InferenceRequest other = MakeRequest({1});
  other.model = "other";
  Infer(1, std::move(other));
  EXPECT_EQ(CodeOf(1), absl::StatusCode::kNotFound);
  EXPECT_TRUE(engine_->seen().empty());
}

TEST_F(WorkerTest, TimingAndLoadAreFilledIn) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({4}));
  engine_->WaitForSteps(1);
  Infer(1, MakeRequest({5, 6}));
  Infer(2, MakeRequest({25}));
  clock_.Advance(milliseconds(3));
  engine_->Release(1);
  const auto first = answers_.Get(0);
  EXPECT_EQ(first->timing.queue_us, 0);
  EXPECT_EQ(first->timing.compute_us, 3000);
  EXPECT_EQ(first->load_tokens, 36);
  engine_->WaitForSteps(2);
  clock_.Advance(milliseconds(2));
  engine_->Release(1);
  const auto second = answers_.Get(1);
  EXPECT_EQ(second->timing.queue_us, 3000);
  EXPECT_EQ(second->timing.compute_us, 2000);
  EXPECT_EQ(second->timing.batch_tokens, 11);
  EXPECT_EQ(second->load_tokens, 25);
}

TEST_F(WorkerTest, ACallbackMayEmbedAgain) {
  Start({});
  client_->Infer(MakeRequest({1}), [this](absl::StatusOr<wire::InferenceResult> first) {
    EXPECT_TRUE(first.ok());
    Infer(1, MakeRequest({2}, 5));
  });
  EXPECT_THAT(answers_.Get(1)->dense.values, ElementsAre(5, 6, 2, 0));
}

}  // namespace
}  // namespace tulip
