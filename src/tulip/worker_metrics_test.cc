#include "tulip/worker_metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tulip/worker_fixture.h"

namespace tulip {
namespace {

using ::testing::HasSubstr;

using WorkerMetricsTest = WorkerTest;

TEST_F(WorkerMetricsTest, CountStepsAndShowTheQueue) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({4, 3}));
  engine_->WaitForSteps(1);
  Infer(1, MakeRequest({5}));
  const std::string during = metrics_.Text();
  EXPECT_THAT(during, HasSubstr("parterre_queue_tokens{device=\"d\",model=\"m\"} 5\n"));
  EXPECT_THAT(during, HasSubstr("parterre_queue_sequences{device=\"d\",model=\"m\"} 1\n"));
  EXPECT_THAT(during, HasSubstr("parterre_load_tokens{device=\"d\",model=\"m\"} 12\n"));
  engine_->ReleaseAll();
  worker_->Shutdown(common::TimePoint::max());
  const std::string after = metrics_.Text();
  EXPECT_THAT(after, HasSubstr("parterre_queue_tokens{device=\"d\",model=\"m\"} 0\n"));
  EXPECT_THAT(after, HasSubstr("parterre_steps_total{device=\"d\",model=\"m\"} 2\n"));
  EXPECT_THAT(after, HasSubstr("parterre_batch_tokens_sum{device=\"d\",model=\"m\"} 12\n"));
  EXPECT_THAT(after, HasSubstr("parterre_batch_sequences_sum{device=\"d\",model=\"m\"} 3\n"));
  EXPECT_THAT(after,
              HasSubstr("parterre_queue_duration_seconds_count{device=\"d\",model=\"m\"} 2\n"));
  EXPECT_THAT(after,
              HasSubstr("parterre_compute_duration_seconds_count{device=\"d\",model=\"m\"} 2\n"));
}

TEST_F(WorkerMetricsTest, SayWhereTheTimeOfAStepGoes) {
  Start({.steps_in_flight_max = 2, .held = true});
  Infer(0, MakeRequest({1}));
  engine_->WaitForSteps(1);
  clock_.Advance(std::chrono::seconds(1));
  Infer(1, MakeRequest({1}));
  engine_->WaitForSteps(2);
  clock_.Advance(std::chrono::seconds(2));
  engine_->ReleaseAll();
  worker_->Shutdown(common::TimePoint::max());
  const std::string text = metrics_.Text();
  const auto expect = [&](const std::string& name, const std::string& value) {
    EXPECT_THAT(text, HasSubstr("parterre_" + name + "{device=\"d\",model=\"m\"} " + value + "\n"));
  };
  expect("compute_duration_seconds_sum", "5");
  // The second was with the engine from second 1 and ran from second 3.
  expect("batch_wait_duration_seconds_sum", "2");
  expect("finish_duration_seconds_sum", "0");
  for (const char* stage : {"launch", "finish"}) {
    expect(std::string(stage) + "_duration_seconds_count", "2");
  }
}

TEST_F(WorkerMetricsTest, CountTokensThatNeverRan) {
  Start({.steps_in_flight_max = 1, .held = true});
  Infer(0, MakeRequest({1}));
  engine_->WaitForSteps(1);
  wire::InferenceRequest request = MakeRequest({3, 4});
  const auto cancel = std::make_shared<wire::CancelToken>();
  request.cancel = cancel;
  Infer(1, std::move(request));
  cancel->Cancel();
  engine_->ReleaseAll();
  EXPECT_EQ(CodeOf(1), absl::StatusCode::kCancelled);
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("parterre_dropped_tokens_total{device=\"d\",model=\"m\",reason="
                        "\"cancelled\"} 7\n"));
}

TEST_F(WorkerMetricsTest, ShowTheEnginesGraphsAfterEachStep) {
  Start({});
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("parterre_graph_memory_bytes{device=\"d\",model=\"m\"} 0\n"));
  const rose::GraphCounters counters[] = {
      {.eager = 3, .captures = 1, .memory_bytes = 500},
      {.eager = 3, .captures = 2, .replays = 7, .evictions = 1, .memory_bytes = 400}};
  for (int key = 0; key < 2; ++key) {
    engine_->SetGraphCounters(counters[key]);
    Infer(key, MakeRequest({1}));
    EXPECT_TRUE(answers_.Get(key).ok());
  }
  const std::string text = metrics_.Text();
  for (const auto& [mode, count] : {std::pair{"eager", 3}, {"capture", 2}, {"replay", 7}}) {
    EXPECT_THAT(text, HasSubstr(fmt::format("parterre_graph_steps_total{{device=\"d\",mode=\"{}\","
                                            "model=\"m\"}} {}\n",
                                            mode, count)));
  }
  EXPECT_THAT(text, HasSubstr("parterre_graph_evictions_total{device=\"d\",model=\"m\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("parterre_graph_memory_bytes{device=\"d\",model=\"m\"} 400\n"));
}

}  // namespace
}  // namespace tulip
