#include "rose/cpu/math_body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rose/cpu/vec_plain.h"

namespace rose::cpu {
namespace {

using V = Plain<8, 6>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

template <typename Function>
float Of(float x, const Function& function) {
  float values[V::kWidth];
  function(V::Set(x)).Store(values);
  return values[V::kWidth - 1];
}

TEST(GeluRough, IsNearGelu) {
  const auto gelu = [](V x) { return GeluRough(x); };
  for (float x = -20; x <= 20; x += 1.0f / 1024) {
    const double exact = x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    ASSERT_NEAR(Of(x, gelu), exact, 2e-5) << x;
  }
  EXPECT_TRUE(std::isnan(Of(kNaN, gelu)));
}

TEST(Exp2Rough, IsNearThePowerOfTwo) {
  const auto exp2 = [](V x) { return Exp2Rough(x); };
  for (float x = -120; x <= 0; x += 1.0f / 1024) {
    ASSERT_NEAR(Of(x, exp2) / std::exp2(double{x}), 1, kExp2RoughError) << x;
  }
  EXPECT_EQ(Of(-kInfinity, exp2), 0);
  EXPECT_EQ(Of(-3e38f, exp2), 0);
  EXPECT_TRUE(std::isnan(Of(kNaN, exp2)));
}

}  // namespace
}  // namespace rose::cpu
