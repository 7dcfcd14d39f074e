#include "text/models/bpe_pairs.h"

#include <gtest/gtest.h>

namespace text {
namespace {

TEST(BpePairsTest, FindsWhatWasSet) {
  constexpr uint32_t kCount = 1000;
  BpePairs pairs(kCount);
  for (uint32_t i = 0; i < kCount; ++i) pairs.Set(i / 10, i % 10, i);
  for (uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(pairs.Find(i / 10, i % 10), i);
  for (uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(pairs.Find(i / 10, 10 + i), BpePairs::kNone);
  pairs.Set(3, 4, 7);
  EXPECT_EQ(pairs.Find(3, 4), 7u);
  EXPECT_EQ(pairs.Find(4, 3), 43u);
}

TEST(BpePairsTest, HoldsTheLargestSymbols) {
  constexpr uint32_t kLast = BpePairs::kEnd - 1;
  BpePairs pairs(3);
  pairs.Set(kLast, kLast, kLast);
  pairs.Set(kLast, 0, 1);
  pairs.Set(0, kLast, 2);
  EXPECT_EQ(pairs.Find(kLast, kLast), kLast);
  EXPECT_EQ(pairs.Find(kLast, 0), 1u);
  EXPECT_EQ(pairs.Find(0, kLast), 2u);
  EXPECT_EQ(pairs.Find(kLast, 1), BpePairs::kNone);
  EXPECT_DEATH(pairs.Set(BpePairs::kEnd, 0, 0), "");
}

TEST(BpePairsTest, MayBeEmpty) {
  const BpePairs pairs(0);
  EXPECT_EQ(pairs.Find(0, 0), BpePairs::kNone);
  EXPECT_GT(pairs.memory_bytes(), 0u);
}

}  // namespace
}  // namespace text
