#include "bench/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/served_target.h"

namespace bench {
namespace {

using testing::HasSubstr;
using testing::Optional;

constexpr char kPage[] =
    "# HELP parterre_steps_total Batches handed to the engine\n"
    "# TYPE parterre_steps_total counter\n"
    "parterre_steps_total{device=\"cuda:0\",model=\"m\"} 10\n"
    "parterre_steps_total{device=\"cuda:1\",model=\"m\"} 6\n"
    "parterre_graph_steps_total{device=\"cuda:0\",mode=\"eager\"} 1\n"
    "parterre_graph_steps_total{device=\"cuda:0\",mode=\"capture\"} 2\n"
    "parterre_graph_steps_total{device=\"cuda:0\",mode=\"replay\"} 7\n"
    "parterre_graph_steps_total{device=\"cuda:1\",mode=\"replay\"} 6\n"
    "parterre_batch_fill_ratio_bucket{device=\"cuda:0\",le=\"0.1\"} 3\n"
    "parterre_batch_fill_ratio_sum{device=\"cuda:0\"} 6\n"
    "parterre_batch_fill_ratio_sum{device=\"cuda:1\"} 2\n"
    "parterre_inputs_total 1e3\n";

TEST(ReadCounters, AddsUpAllWorkers) {
  const auto counters = ReadCounters(kPage);
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_EQ(counters->engines, 2);
  EXPECT_EQ(counters->steps, 16);
  EXPECT_EQ(counters->eager_steps, 1);
  EXPECT_EQ(counters->graph_captures, 2);
  EXPECT_EQ(counters->graph_replays, 13);
  EXPECT_THAT(counters->batch_fill(), Optional(0.5));
  EXPECT_EQ(counters->busy_share(1), std::nullopt);  // Not counted there.
}

TEST(ReadCounters, ReadsHowLongEnginesWereBusy) {
  const auto counters = ReadCounters(std::string(kPage) +
                                     "parterre_engine_busy_seconds_total{device=\"cuda:0\"} 3\n" +
                                     "parterre_engine_busy_seconds_total{device=\"cuda:1\"} 1\n");
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_THAT(counters->busy_share(4), Optional(0.5));
}

TEST(ReadCounters, SaysThatThereAreNone) {
  for (const char* page : {"", "no metrics", "vllm:requests_total 3\n"}) {
    EXPECT_EQ(ReadCounters(page).status().code(), absl::StatusCode::kNotFound) << page;
  }
}

TEST(Increase, IsWhatCameSince) {
  const Counters before = {.engines = 1, .steps = 2, .graph_replays = 1, .busy_s = 0.5};
  const Counters after = {
      .engines = 1, .steps = 5, .graph_replays = 3, .batch_fill_sum = 1.5, .busy_s = 2};
  const Counters increase = Increase(before, after);
  EXPECT_EQ(increase.steps, 3);
  EXPECT_EQ(increase.graph_replays, 2);
  EXPECT_THAT(increase.batch_fill(), Optional(0.5));
  EXPECT_THAT(increase.busy_share(3), Optional(0.5));
  EXPECT_EQ(Increase(after, after).batch_fill(), std::nullopt);
}

TEST(ScrapeCounters, AddsUpAllAddresses) {
  const ServedTarget one(HttpAnswer(200, kPage)), two(HttpAnswer(200, kPage));
  const auto counters = ScrapeCounters({one.url(), two.url()}, std::chrono::seconds(10))();
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_EQ(counters->engines, 4);
  EXPECT_EQ(counters->steps, 32);
}

TEST(ScrapeCounters, SaysThatThereIsNoSuchPage) {
  const ServedTarget served(HttpAnswer(404, "{}"));
  const auto counters = ScrapeCounters({served.url()}, std::chrono::seconds(10))();
  EXPECT_THAT(std::string(counters.status().message()), HasSubstr("/metrics: status 404"));
}

TEST(ReadCounters, LeavesOutWhatIsNoNumber) {
  const auto counters = ReadCounters("parterre_steps_total 3\nparterre_batch_fill_ratio_sum nan\n");
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_EQ(counters->steps, 3);
  EXPECT_EQ(counters->batch_fill_sum, 0);
}

}  // namespace
}  // namespace bench
