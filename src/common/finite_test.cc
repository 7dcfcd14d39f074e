#include "common/finite.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace common {
namespace {

TEST(FindNonFinite, FindsTheFirstAnywhere) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
    for (std::size_t at = 0; at < 37; ++at) {
      std::vector<float> values(37, std::numeric_limits<float>::max());
      EXPECT_EQ(FindNonFinite(values), nullptr);
      values[at] = bad;
      values[36] = bad;
      EXPECT_EQ(FindNonFinite(values), &values[at]);
    }
  }
  EXPECT_EQ(FindNonFinite({}), nullptr);
}

}  // namespace
}  // namespace common
