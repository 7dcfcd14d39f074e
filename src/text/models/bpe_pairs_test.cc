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

TEST(BpePairsTest, MayBeEmpty) {
  const BpePairs pairs(0);
  EXPECT_EQ(pairs.Find(0, 0), BpePairs::kNone);
  EXPECT_GT(pairs.memory_bytes(), 0u);
}

}  // namespace
}  // namespace text
