#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tulip/worker_fixture.h"

namespace tulip {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using WorkerFailureTest = WorkerTest;

TEST_F(WorkerFailureTest, Bug63_AFailedStepEndsTheEnginesService) {
  const std::pair<int32_t, std::string> failures[] = {
      {FakeEngine::kThrowInStepId, "forward failed: no memory for the step"},
      {FakeEngine::kThrowInWaitId, "forward failed: the device is gone"},
      {FakeEngine::kWrongShapeId, "forward failed: 1 × 3 dense values, expected 1 × 4"}};
  int key = 0;
  for (const auto& [id, message] : failures) {
    Start({});
    EXPECT_TRUE(client_->Healthy());
    Infer(key, MakeRequest({1}, id));
    EXPECT_EQ(answers_.Get(key++).status(), absl::InternalError(message));
    EXPECT_FALSE(client_->Healthy());
    Infer(key, MakeRequest({2}, 7));
    EXPECT_EQ(answers_.Get(key++).status(),
              absl::UnavailableError("fake: its engine has failed: " + message));
    EXPECT_EQ(engine_->seen().size(), 1U);
    worker_->Shutdown(common::TimePoint::max());  // There is nothing to wait for.
  }
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("parterre_failed_steps_total{device=\"d\",model=\"m\"} 3\n"));
}

TEST_F(WorkerFailureTest, AFailureIsToldOnceAndWhatWaitsHearsOfIt) {
  std::vector<absl::Status> told;  // By the completion thread, which ends with the worker.
  on_failure_ = [&told](const absl::Status& cause) { told.push_back(cause); };
  Start({.budget_tokens = 2, .steps_in_flight_max = 2, .held = true});
  Infer(0, MakeRequest({2}, FakeEngine::kThrowInWaitId));
  Infer(1, MakeRequest({2, 2, 2}, FakeEngine::kThrowInWaitId));  // Of which two wait.
  engine_->WaitForSteps(2);
  Infer(2, MakeRequest({2}));
  Infer(3, MakeRequest({1}));
  engine_->ReleaseAll();
  EXPECT_EQ(CodeOf(0), absl::StatusCode::kInternal);
  EXPECT_EQ(CodeOf(1), absl::StatusCode::kInternal);
  const absl::Status cause =
      absl::UnavailableError("fake: its engine has failed: forward failed: the device is gone");
  EXPECT_EQ(answers_.Get(2).status(), cause);
  EXPECT_EQ(answers_.Get(3).status(), cause);
  EXPECT_EQ(engine_->seen().size(), 2U);
  EXPECT_EQ(worker_->load_tokens(), 0);
  worker_.reset();
  EXPECT_THAT(told, ElementsAre(cause));
}

TEST_F(WorkerFailureTest, WhereMemoryRanOutTheNextStepIsTried) {
  Start({});
  Infer(0, MakeRequest({1}, FakeEngine::kNoMemoryId));
  EXPECT_EQ(answers_.Get(0).status(),
            absl::ResourceExhaustedError("forward failed: out of memory"));
  EXPECT_TRUE(client_->Healthy());
  Infer(1, MakeRequest({2}, 7));
  EXPECT_THAT(answers_.Get(1)->dense.values, ElementsAre(7, 8, 2, 0));
}

TEST_F(WorkerFailureTest, Bug63_EveryRequestOfAFailedStepIsAnswered) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({1}));
  engine_->WaitForSteps(1);
  Infer(1, MakeRequest({2}, 10));
  Infer(2, MakeRequest({1}, FakeEngine::kThrowInWaitId));
  Infer(3, MakeRequest({20, 20}, 30));  // Its second sequence would run in the step after.
  engine_->ReleaseAll();
  EXPECT_TRUE(answers_.Get(0).ok());
  for (int key = 1; key <= 3; ++key) EXPECT_EQ(CodeOf(key), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tulip
