#include "rose/core/bfloat16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

namespace rose {
namespace {

uint16_t Rounded(uint32_t bits) { return BFloat16::FromFloat(std::bit_cast<float>(bits)).bits; }

TEST(BFloat16, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(Rounded(0x3f800000), 0x3f80);
  EXPECT_EQ(Rounded(0x3f808000), 0x3f80);
  EXPECT_EQ(Rounded(0x3f818000), 0x3f82);
  EXPECT_EQ(Rounded(0x3f808001), 0x3f81);
  EXPECT_EQ(Rounded(0x3f80ffff), 0x3f81);
}

TEST(BFloat16, KeepsWhatIsNotFinite) {
  EXPECT_EQ(Rounded(0x7f7fffff), 0x7f80) << "beyond the largest is infinity";
  EXPECT_EQ(Rounded(0xff800000), 0xff80);
  EXPECT_EQ(Rounded(0x7f800001), 0x7fc0) << "NaN stays NaN";
}

TEST(BFloat16, EveryValueSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const BFloat16 value{static_cast<uint16_t>(bits)};
    const bool is_nan = (bits & 0x7fff) > 0x7f80;
    const uint32_t expected = is_nan ? bits | 0x40 : bits;  // Made quiet.
    ASSERT_EQ(BFloat16::FromFloat(value.ToFloat()).bits, expected) << bits;
  }
}

}  // namespace
}  // namespace rose
