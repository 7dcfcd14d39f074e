#include "common/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "common/metric_scope.h"

namespace common {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Histogram, CountsUpToABoundAndTogether) {
  Metrics metrics;
  Histogram& histogram = metrics.Histogram("h", "help", {1, 2}, {{"a", "b"}});
  for (const double value : {0.5, 1.0, 1.5, 2.5}) histogram.Observe(value);
  EXPECT_EQ(metrics.Text(),
            "# HELP h help\n"
            "# TYPE h histogram\n"
            "h_count{a=\"b\"} 4\n"
            "h_sum{a=\"b\"} 5.5\n"
            "h_bucket{a=\"b\",le=\"1\"} 2\n"
            "h_bucket{a=\"b\",le=\"2\"} 3\n"
            "h_bucket{a=\"b\",le=\"+Inf\"} 4\n");
  EXPECT_EQ(&metrics.Histogram("h", "help", {1, 2}, {{"a", "b"}}), &histogram);
  EXPECT_NE(&metrics.Histogram("h", "help", {1, 2}, {{"a", "c"}}), &histogram);
}

TEST(Histogram, LosesNothingBetweenThreads) {
  Histogram histogram({1});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 10'000; ++k) histogram.Observe(2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(histogram.Collect().histogram.sample_count, 40'000U);
  EXPECT_EQ(histogram.Collect().histogram.sample_sum, 80'000);
}

TEST(DurationBuckets, AreStepsOfOneLadder) {
  EXPECT_NEAR(ShortDurationBuckets().front(), 15e-6, 1e-9);
  EXPECT_NEAR(ShortDurationBuckets().back(), 1.28, 0.01);
  EXPECT_EQ(DurationBuckets().front(), ShortDurationBuckets().front());
  EXPECT_NEAR(DurationBuckets().back(), 73.7, 0.1);
}

TEST(MetricScope, TakesItsSeriesAlong) {
  Metrics metrics;
  metrics.Counter("stays", "", {});
  {
    MetricScope scope(metrics);
    scope.Counter("goes", "", {{"a", "b"}}).Increment();
    scope.Gauge("gauge", "", {{"a", "b"}}).Set(2);
    EXPECT_THAT(metrics.Text(), HasSubstr("goes{a=\"b\"} 1\n"));
    EXPECT_THAT(metrics.Text(), HasSubstr("gauge{a=\"b\"} 2\n"));
  }
  EXPECT_THAT(metrics.Text(), HasSubstr("stays 0\n"));
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("{a=\"b\"}")));
}

TEST(MetricScope, SeriesOfSeveralStayForTheLast) {
  Metrics metrics;
  std::optional<MetricScope> first(metrics), second(metrics);
  first->Counter("goes", "", {{"a", "b"}}).Increment();
  first->Counter("goes", "", {{"a", "b"}}).Increment();
  prometheus::Counter& counter = second->Counter("goes", "", {{"a", "b"}});
  first.reset();
  counter.Increment();
  EXPECT_THAT(metrics.Text(), HasSubstr("goes{a=\"b\"} 3\n"));
  second.reset();
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("{a=\"b\"}")));
}

}  // namespace
}  // namespace common
