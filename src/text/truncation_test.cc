#include "text/truncation.h"

#include <gtest/gtest.h>

#include <ostream>

namespace text {

void PrintTo(const PairLengths& lengths, std::ostream* out) {
  *out << lengths.first << ", " << lengths.second;
}

namespace {

using enum TruncationStrategy;

constexpr std::size_t kTotal = 125;

PairLengths Kept(std::size_t first, std::size_t second, TruncationStrategy strategy) {
  const auto kept = Truncate({first, second}, kTotal, strategy);
  EXPECT_TRUE(kept.ok()) << kept.status();
  return kept.value_or(PairLengths{});
}

// What Hugging Face tokenizers 0.23 answers.
TEST(TruncationTest, LongestFirst) {
  EXPECT_EQ(Kept(125, 130, kLongestFirst), (PairLengths{62, 63}));
  EXPECT_EQ(Kept(130, 125, kLongestFirst), (PairLengths{63, 62})) << "the longer one's odd token";
  EXPECT_EQ(Kept(124, 124, kLongestFirst), (PairLengths{62, 63}));
  EXPECT_EQ(Kept(63, 63, kLongestFirst), (PairLengths{62, 63}));
  EXPECT_EQ(Kept(62, 63, kLongestFirst), (PairLengths{62, 63}));
  EXPECT_EQ(Kept(200, 62, kLongestFirst), (PairLengths{63, 62}));
  EXPECT_EQ(Kept(63, 200, kLongestFirst), (PairLengths{62, 63}));
  EXPECT_EQ(Kept(1, 500, kLongestFirst), (PairLengths{1, 124}));
  EXPECT_EQ(Kept(0, 510, kLongestFirst), (PairLengths{0, 125}));
  EXPECT_EQ(Kept(510, 0, kLongestFirst), (PairLengths{125, 0}));
  EXPECT_EQ(Kept(0, 0, kLongestFirst), (PairLengths{0, 0}));
}

TEST(TruncationTest, OnlyOne) {
  EXPECT_EQ(Kept(124, 124, kOnlyFirst), (PairLengths{1, 124}));
  EXPECT_EQ(Kept(200, 62, kOnlyFirst), (PairLengths{63, 62}));
  EXPECT_EQ(Kept(510, 0, kOnlyFirst), (PairLengths{125, 0}));
  EXPECT_EQ(Kept(62, 63, kOnlyFirst), (PairLengths{62, 63}));
  EXPECT_EQ(Kept(124, 124, kOnlySecond), (PairLengths{124, 1}));
  EXPECT_EQ(Kept(1, 500, kOnlySecond), (PairLengths{1, 124}));
}

TEST(TruncationTest, ATextThatCannotGiveEnoughIsRefused) {
  EXPECT_FALSE(Truncate({125, 130}, kTotal, kOnlyFirst).ok());
  EXPECT_FALSE(Truncate({63, 200}, kTotal, kOnlyFirst).ok());
  EXPECT_FALSE(Truncate({200, 62}, kTotal, kOnlySecond).ok());
  EXPECT_FALSE(Truncate({510, 0}, kTotal, kOnlySecond).ok());
}

TEST(TruncationTest, WithoutRoomNothingIsKept) {
  for (const auto strategy : {kLongestFirst, kOnlyFirst, kOnlySecond}) {
    const auto kept = Truncate({3, 4}, 0, strategy);
    ASSERT_TRUE(kept.ok());
    EXPECT_EQ(*kept, (PairLengths{0, 0}));
  }
}

}  // namespace
}  // namespace text
