#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "tulip/worker_fixture.h"

namespace tulip {
namespace {

using std::chrono::milliseconds;
using ::testing::AnyOf;

constexpr common::TimePoint kNoDeadline = common::TimePoint::max();
constexpr common::TimePoint kAtOnce = common::TimePoint::min();

using WorkerShutdownTest = WorkerTest;

TEST_F(WorkerShutdownTest, IdleWorkerEndsAndRefuses) {
  Start({});
  worker_->Shutdown(kNoDeadline);
  Infer(0, MakeRequest({1}));
  EXPECT_EQ(answers_.Get(0).status(), absl::UnavailableError("shutting down"));
}

TEST_F(WorkerShutdownTest, DestructorOfAnIdleWorkerEnds) {
  Start({});
  worker_.reset();
}

TEST_F(WorkerShutdownTest, Bug65_FinishesWhatWasAccepted) {
  Start({.budget_tokens = 2, .held = true});
  for (int key = 0; key < 10; ++key) Infer(key, MakeRequest({1, 2}));
  engine_->WaitForSteps(2);
  std::thread release([this] { engine_->ReleaseAll(); });
  worker_->Shutdown(kNoDeadline);
  release.join();
  for (int key = 0; key < 10; ++key) {
    ASSERT_TRUE(answers_.Has(key)) << "answered before Shutdown returns";
    EXPECT_TRUE(answers_.Get(key).ok());
  }
}

TEST_F(WorkerShutdownTest, Bug65_PastTheDeadlineWhatWaitsIsUnavailableAndWhatRunsIsAnswered) {
  Start({.budget_tokens = 2, .steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({2}));
  engine_->WaitForSteps(1);
  Infer(1, MakeRequest({2, 2}));
  Infer(2, MakeRequest({2}));
  std::thread shutdown([this] { worker_->Shutdown(kAtOnce); });
  EmbedUntilRefused();
  engine_->ReleaseAll();
  shutdown.join();
  EXPECT_TRUE(answers_.Get(0).ok());
  EXPECT_EQ(CodeOf(1), absl::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(2), absl::StatusCode::kUnavailable);
  EXPECT_EQ(engine_->seen().size(), 1U);
}

TEST_F(WorkerShutdownTest, APartlyRunRequestIsUnavailable) {
  Start({.budget_tokens = 2, .steps_in_flight_max = 2, .held = true});
  Infer(0, MakeRequest({2, 2, 2, 2}));
  engine_->WaitForSteps(2);
  std::thread shutdown([this] { worker_->Shutdown(kAtOnce); });
  EmbedUntilRefused();
  engine_->ReleaseAll();
  shutdown.join();
  EXPECT_EQ(CodeOf(0), absl::StatusCode::kUnavailable);
  EXPECT_EQ(engine_->seen().size(), 2U);
}

TEST_F(WorkerShutdownTest, ADeadlineThatPassesMeanwhileEndsTheWait) {
  // To run all of it would take eight seconds or more.
  Start({.budget_tokens = 1, .step_time = milliseconds(1)});
  Infer(0, MakeRequest({1}));
  Infer(1, MakeRequest(std::vector<int32_t>(8000, 1)));
  worker_->Shutdown(common::Clock::Steady().Now() + milliseconds(20));
  EXPECT_TRUE(answers_.Has(0));
  EXPECT_EQ(CodeOf(1), absl::StatusCode::kUnavailable);
}

TEST_F(WorkerShutdownTest, DestructorUnderLoadAnswersEveryRequest) {
  Start({.budget_tokens = 2, .held = true});
  for (int key = 0; key < 10; ++key) Infer(key, MakeRequest({1, 2}));
  engine_->WaitForSteps(2);
  engine_->ReleaseAll();
  worker_.reset();
  EXPECT_EQ(answers_.size(), 10U);
}

TEST_F(WorkerShutdownTest, ASecondShutdownDoesNothing) {
  Start({});
  Infer(0, MakeRequest({1}));
  worker_->Shutdown(kNoDeadline);
  worker_->Shutdown(kAtOnce);
  EXPECT_TRUE(answers_.Get(0).ok());
}

TEST_F(WorkerShutdownTest, AFailingEngineStillEnds) {
  Start({.budget_tokens = 1});
  for (int key = 0; key < 4; ++key) Infer(key, MakeRequest({1}, FakeEngine::kThrowInStepId));
  worker_->Shutdown(kNoDeadline);
  EXPECT_EQ(CodeOf(0), absl::StatusCode::kInternal);
  for (int key = 1; key < 4; ++key) {
    EXPECT_THAT(CodeOf(key), AnyOf(absl::StatusCode::kInternal, absl::StatusCode::kUnavailable));
  }
}

}  // namespace
}  // namespace tulip
