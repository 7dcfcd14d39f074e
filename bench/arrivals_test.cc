#include "bench/arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace bench {
namespace {

using std::chrono::seconds;

TEST(PoissonArrivals, ComeInOrderAndAtTheRateAskedFor) {
  const auto arrivals = PoissonArrivals(100, seconds(100), 1);
  EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end()));
  EXPECT_NEAR(static_cast<double>(arrivals.size()), 10'000, 300);  // The seed is fixed.
  EXPECT_LT(arrivals.back(), seconds(100));
}

TEST(PoissonArrivals, HaveGapsOfNoMemory) {
  const auto arrivals = PoissonArrivals(100, seconds(100), 1);
  int long_gaps = 0;
  for (size_t i = 1; i < arrivals.size(); ++i) {
    long_gaps += arrivals[i] - arrivals[i - 1] > std::chrono::milliseconds(20);
  }
  // exp(−2) of the gaps are longer than twice their mean.
  EXPECT_NEAR(long_gaps / 10'000.0, 0.135, 0.01);
}

TEST(PoissonArrivals, DependOnTheSeedOnly) {
  EXPECT_EQ(PoissonArrivals(50, seconds(1), 7), PoissonArrivals(50, seconds(1), 7));
  EXPECT_NE(PoissonArrivals(50, seconds(1), 7), PoissonArrivals(50, seconds(1), 8));
}

}  // namespace
}  // namespace bench
