#include "bench/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace bench {
namespace {

using common::Duration;
using std::chrono::milliseconds;

std::vector<Duration> UpTo(int n) {
  std::vector<Duration> latencies;
  for (int i = 1; i <= n; ++i) latencies.push_back(milliseconds(i));
  return latencies;
}

TEST(Percentile, IsTheNearestRank) {
  const std::vector<Duration> five = {milliseconds(15), milliseconds(20), milliseconds(35),
                                      milliseconds(40), milliseconds(50)};
  EXPECT_EQ(Percentile(five, 0.05), milliseconds(15));
  EXPECT_EQ(Percentile(five, 0.30), milliseconds(20));
  EXPECT_EQ(Percentile(five, 0.40), milliseconds(20));
  EXPECT_EQ(Percentile(five, 0.50), milliseconds(35));
  EXPECT_EQ(Percentile(five, 0), milliseconds(15));
  EXPECT_EQ(Percentile(five, 1), milliseconds(50));
  EXPECT_EQ(Percentile({milliseconds(7)}, 0.99), milliseconds(7));
}

TEST(Percentile, IsCoveredByTheShareItPromises) {
  for (int n : {1, 2, 3, 10, 99, 100, 101, 1000}) {
    const std::vector<Duration> sorted = UpTo(n);
    for (double share : {0.5, 0.9, 0.99}) {
      const Duration p = Percentile(sorted, share);
      const auto covered =
          std::count_if(sorted.begin(), sorted.end(), [p](Duration d) { return d <= p; });
      EXPECT_GE(static_cast<double>(covered), share * n) << n << " " << share;
      EXPECT_LT(static_cast<double>(covered - 1), share * n) << n << " " << share;
    }
  }
}

TEST(Summarize, IsExactWhateverTheOrder) {
  std::vector<Duration> latencies = UpTo(1000);
  std::shuffle(latencies.begin(), latencies.end(), std::mt19937(1));
  const LatencySummary summary = Summarize(latencies);
  EXPECT_EQ(summary.count, 1000);
  EXPECT_DOUBLE_EQ(summary.mean_ms, 500.5);
  EXPECT_DOUBLE_EQ(summary.min_ms, 1);
  EXPECT_DOUBLE_EQ(summary.p50_ms, 500);
  EXPECT_DOUBLE_EQ(summary.p90_ms, 900);
  EXPECT_DOUBLE_EQ(summary.p99_ms, 990);
  EXPECT_DOUBLE_EQ(summary.max_ms, 1000);
}

TEST(Summarize, KeepsParts) {
  EXPECT_DOUBLE_EQ(Summarize({std::chrono::microseconds(1250)}).p50_ms, 1.25);
  EXPECT_EQ(Summarize({}).count, 0);
}

}  // namespace
}  // namespace bench
