#include "rose/weights/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace rose {
namespace {

using ::testing::ElementsAre;

/// A tensor of raw elements, one byte off any alignment, as a file may store it.
template <typename T>
struct Misaligned {
  explicit Misaligned(DType dtype, const std::vector<T>& values)
      : storage(values.size() * sizeof(T) + 1) {
    std::memcpy(storage.data() + 1, values.data(), values.size() * sizeof(T));
    tensor = {.name = "t",
              .dtype = dtype,
              .shape = {static_cast<int64_t>(values.size())},
              .bytes = std::span<const std::byte>(storage).subspan(1)};
  }
  std::vector<std::byte> storage;
  HostTensor tensor;
};

TEST(HalfToFloat, KnownValues) {
  EXPECT_EQ(HalfToFloat(0x3c00), 1.0F);
  EXPECT_EQ(HalfToFloat(0xc000), -2.0F);
  EXPECT_EQ(HalfToFloat(0x7bff), 65504.0F);
  EXPECT_EQ(HalfToFloat(0x0400), 0x1p-14F);
  EXPECT_EQ(HalfToFloat(0x0001), 0x1p-24F);
  EXPECT_EQ(HalfToFloat(0x03ff), 1023 * 0x1p-24F);
  EXPECT_EQ(HalfToFloat(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(HalfToFloat(0x7e00)));
  EXPECT_TRUE(std::signbit(HalfToFloat(0x8000)));
}

TEST(HalfToFloat, EveryFiniteValueIsItsFormula) {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const uint32_t exponent = (half >> 10) & 31;
    const int mantissa = static_cast<int>(half & 0x3ff);
    if (exponent == 31) continue;
    const double magnitude = exponent == 0
                                 ? std::ldexp(mantissa, -24)
                                 : std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25);
    const double expected = half & 0x8000 ? -magnitude : magnitude;
    ASSERT_EQ(HalfToFloat(static_cast<uint16_t>(half)), expected) << half;
  }
}

template <typename Bits>
bool Finite(DType dtype, std::vector<Bits> values) {
  return AllFinite(dtype, std::as_bytes(std::span(values)));
}

TEST(AllFinite, FindsInfinityAndNaNOfEveryStoredType) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(Finite<float>(DType::kFloat32, {}));
  EXPECT_TRUE(Finite(DType::kFloat32, std::vector<float>(100, 3e38f)));
  EXPECT_TRUE(Finite(DType::kFloat16, std::vector<uint16_t>(100, 0x7bff)));
  EXPECT_TRUE(Finite(DType::kBFloat16, std::vector<uint16_t>(100, 0x7f7f)));
  for (std::size_t at : {0, 7, 98}) {
    for (const float bad : {kInfinity, -kInfinity, std::nanf("")}) {
      std::vector<float> values(99, -1);
      values[at] = bad;
      EXPECT_FALSE(Finite(DType::kFloat32, values)) << at;
    }
    for (const uint16_t bad : {0x7c00, 0xfc00, 0x7c01, 0x7fff}) {
      std::vector<uint16_t> values(99, 0x8001);
      values[at] = bad;
      EXPECT_FALSE(Finite(DType::kFloat16, values)) << at;
    }
    for (const uint16_t bad : {0x7f80, 0xff80, 0x7f81, 0xffff}) {
      std::vector<uint16_t> values(99, 0x7c00);
      values[at] = bad;
      EXPECT_FALSE(Finite(DType::kBFloat16, values)) << at;
    }
  }
}

TEST(Widen, EachStoredType) {
  std::vector<float> out(2);
  Widen(Misaligned<float>(DType::kFloat32, {1.5F, -3.0F}).tensor, std::span(out));
  EXPECT_THAT(out, ElementsAre(1.5F, -3.0F));
  Widen(Misaligned<uint16_t>(DType::kFloat16, {0x3e00, 0x0001}).tensor, std::span(out));
  EXPECT_THAT(out, ElementsAre(1.5F, 0x1p-24F));
  Widen(Misaligned<uint16_t>(DType::kBFloat16, {0x3fc0, 0xc040}).tensor, std::span(out));
  EXPECT_THAT(out, ElementsAre(1.5F, -3.0F));
}

TEST(WidenDeathTest, AnotherSizeAborts) {
  std::vector<float> out(3);
  EXPECT_DEATH(Widen(Misaligned<float>(DType::kFloat32, {1, 2}).tensor, std::span(out)), "8");
}

}  // namespace
}  // namespace rose
