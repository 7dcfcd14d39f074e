#include "bench/open_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "bench/arrivals.h"
#include "bench/served_target.h"

namespace bench {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr uint64_t kSeed = 3;

OpenLoop LoopTo(const ServedTarget& served, double rate_per_s, common::Duration duration) {
  return {.target = served.target.get(),
          .rate_per_s = rate_per_s,
          .duration = duration,
          .connections = 4,
          .warmup = 1,
          .seed = kSeed};
}

/// A seed with which the first request arrives at once and the second does not.
uint64_t FirstArrivesAtOnce(const OpenLoop& loop) {
  for (uint64_t seed = 1;; ++seed) {
    const auto arrivals = PoissonArrivals(loop.rate_per_s, loop.duration, seed);
    if (arrivals.size() > 1 && arrivals[0] < milliseconds(200) &&
        arrivals[1] > std::chrono::minutes(5)) {
      return seed;
    }
  }
}

TEST(RunOpenLoop, SendsEveryArrivalOnce) {
  std::atomic<int> answered = 0;
  const ServedTarget served([&](std::string_view) {
    ++answered;
    return HttpAnswer(200, NullEmbeddings(1, 4));
  });
  const OpenLoop loop = LoopTo(served, 1000, milliseconds(200));
  int answered_warm = 0;
  const auto result = RunOpenLoop(loop, [&] { answered_warm = answered; });
  ASSERT_TRUE(result.ok()) << result.status();
  const auto arrivals = PoissonArrivals(1000, milliseconds(200), kSeed);
  EXPECT_EQ(answered_warm, 4);
  EXPECT_EQ(result->arrivals, static_cast<int64_t>(arrivals.size()));
  EXPECT_EQ(result->load.latency.count, result->arrivals);
  EXPECT_EQ(answered, result->arrivals + 4);
  // No more are reached in a second than arrive in one.
  EXPECT_GE(result->load.wall_s, std::chrono::duration<double>(loop.duration).count());
}

TEST(RunOpenLoop, CountsTheWaitOfThoseThatArriveWhileTheServerIsStalled) {
  // One connection to a server that takes 20 ms, and 200 requests a second: a closed loop would
  // find 20 ms for each.
  constexpr milliseconds kDelay{20}, kDuration{200};
  const ServedTarget served([&](std::string_view) {
    std::this_thread::sleep_for(kDelay);
    return HttpAnswer(200, NullEmbeddings(1, 4));
  });
  OpenLoop loop = LoopTo(served, 200, kDuration);
  loop.connections = 1;
  const auto result = RunOpenLoop(loop);
  ASSERT_TRUE(result.ok()) << result.status();

  // What a queue in front of such a server comes to at best.
  const auto arrivals = PoissonArrivals(200, kDuration, kSeed);
  common::Duration free_at{}, longest_wait{}, longest{};
  int64_t waited = 0;
  for (const common::Duration arrival : arrivals) {
    if (free_at > arrival) ++waited;
    longest_wait = std::max(longest_wait, free_at - arrival);
    free_at = std::max(free_at, arrival) + kDelay;
    longest = std::max(longest, free_at - arrival);
  }
  EXPECT_GT(waited, 20);
  EXPECT_GE(result->waited, waited);
  EXPECT_GE(result->longest_wait, longest_wait);
  EXPECT_GE(result->load.latency.max_ms, Milliseconds(longest));
  EXPECT_GE(result->load.latency.min_ms, Milliseconds(kDelay));
}

TEST(RunOpenLoop, EndsWithTheFirstFailure) {
  std::atomic<int> answered = 0;
  const ServedTarget served([&](std::string_view) {
    return answered++ < 20 ? HttpAnswer(200, NullEmbeddings(1, 4)) : HttpAnswer(429, "full");
  });
  const OpenLoop loop = LoopTo(served, 1000, std::chrono::seconds(30));
  EXPECT_THAT(std::string(RunOpenLoop(loop).status().message()), HasSubstr("status 429: full"));
}

TEST(RunOpenLoop, EndsWithTheFirstFailureHoweverFarTheNextArrivalIs) {
  // Four clients have taken arrivals minutes apart when the first of them fails.
  std::atomic<int> answered = 0;
  const ServedTarget served([&](std::string_view) {
    return answered++ < 4 ? HttpAnswer(200, NullEmbeddings(1, 4)) : HttpAnswer(429, "full");
  });
  OpenLoop loop = LoopTo(served, 0.002, std::chrono::hours(1));
  loop.seed = FirstArrivesAtOnce(loop);
  EXPECT_THAT(std::string(RunOpenLoop(loop).status().message()), HasSubstr("status 429: full"));
}

TEST(RunOpenLoop, NeedsAnArrival) {
  const ServedTarget served(HttpAnswer(200, NullEmbeddings(1, 4)));
  EXPECT_THAT(std::string(RunOpenLoop(LoopTo(served, 1e-6, milliseconds(1))).status().message()),
              HasSubstr("no request arrives"));
}

TEST(RunOpenLoop, RefusesMoreArrivalsThanFitInMemory) {
  const ServedTarget served(HttpAnswer(200, NullEmbeddings(1, 4)));
  EXPECT_THAT(
      std::string(RunOpenLoop(LoopTo(served, 1e6, std::chrono::hours(1))).status().message()),
      HasSubstr("at most"));
}

}  // namespace
}  // namespace bench
