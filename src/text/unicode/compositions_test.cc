#include "text/unicode/compositions.h"

#include <gtest/gtest.h>

#include "text/unicode/characters.h"
#include "text/unicode/compatibility.h"

namespace text {
namespace {

TEST(CompositionsTest, EveryPairOfTheTable) {
  for (const auto& [first, second, composite] : kCompositions) {
    EXPECT_EQ(Compositions::Get().Compose(first, second), composite);
    EXPECT_TRUE(Compositions::Get().IsSecond(second));
  }
}

TEST(CompositionsTest, EverySyllable) {
  for (char32_t c = 0xAC00; c <= 0xD7A3; ++c) {
    const Parts parts = Characters::Get().Decompose(c);
    char32_t composed = parts.parts[0];
    for (int i = 1; i < parts.count; ++i) {
      composed = Compositions::Get().Compose(composed, parts.parts[i]);
    }
    ASSERT_EQ(composed, c);
  }
}

TEST(CompositionsTest, OthersStayTwo) {
  const auto compose = [](char32_t first, char32_t second) {
    return Compositions::Get().Compose(first, second);
  };
  EXPECT_EQ(compose(U'a', U'b'), char32_t{0});
  EXPECT_EQ(compose(U'x', 0x301), char32_t{0});
  EXPECT_EQ(compose(0x915, 0x93C), char32_t{0}) << "excluded from composition";
  EXPECT_EQ(compose(0x1100, 0x11A8), char32_t{0}) << "a syllable needs its vowel";
  EXPECT_EQ(compose(0xAC01, 0x11A8), char32_t{0}) << "the syllable is closed";
  EXPECT_EQ(compose(0xAC00, 0x11A7), char32_t{0}) << "stands before the trailing consonants";
  EXPECT_EQ(compose(0, 0x301), char32_t{0});
}

TEST(CompatibilityTest, Decomposes) {
  const Compatibility& compatibility = Compatibility::Get();
  EXPECT_EQ(compatibility.Decompose(0xFB01), U"fi");
  EXPECT_EQ(compatibility.Decompose(0xFF21), U"A");
  EXPECT_EQ(compatibility.Decompose(0xFDFA).size(), 18u) << "the longest";
  EXPECT_EQ(compatibility.Decompose(U'é'), U"") << "NFD does that";
  EXPECT_EQ(compatibility.Decompose(U'a'), U"");
  EXPECT_EQ(compatibility.Decompose(0x10FFFF), U"");
}

}  // namespace
}  // namespace text
