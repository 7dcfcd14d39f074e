#include "rose/runtime/cuda/step_bucket.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace rose {
namespace {

TEST(TokenBucket, Bug38_RoundsUp) {
  EXPECT_EQ(TokenBucket(1), 16);
  EXPECT_EQ(TokenBucket(16), 16);
  EXPECT_EQ(TokenBucket(17), 32);
  EXPECT_EQ(TokenBucket(48), 48);
  EXPECT_EQ(TokenBucket(49), 64);
  EXPECT_EQ(TokenBucket(1024), 1024);
  EXPECT_EQ(TokenBucket(1025), 1280);
  EXPECT_EQ(TokenBucket(51200), 51200);
}

TEST(TokenBucket, Bug38_PadsLittleWhereItCosts) {
  for (int64_t tokens = 1; tokens < 70000; ++tokens) {
    const int64_t bucket = TokenBucket(tokens);
    ASSERT_GE(bucket, tokens);
    ASSERT_EQ(TokenBucket(bucket), bucket) << "a bucket is its own";
    if (tokens > 4096) {
      ASSERT_LE(static_cast<double>(bucket - tokens), 0.0625 * static_cast<double>(tokens));
    }
  }
}

TEST(SequenceBucket, IsAPowerOfTwo) {
  EXPECT_EQ(SequenceBucket(1), 1);
  EXPECT_EQ(SequenceBucket(3), 4);
  EXPECT_EQ(SequenceBucket(100), 128);
}

TEST(BucketOf, KnowsTheLongest) {
  const std::vector<int32_t> cu_seqlens = {0, 10, 110, 115};
  EXPECT_EQ(BucketOf(cu_seqlens), (StepBucket{.tokens = 128, .sequences = 4, .longest = 128}));
}

TEST(BucketOf, TheLongestIsWithinTheTokens) {
  const std::vector<int32_t> lone = {0, 520}, tiny = {0, 3};
  EXPECT_EQ(BucketOf(lone), (StepBucket{.tokens = 576, .sequences = 1, .longest = 576}));
  EXPECT_EQ(BucketOf(tiny), (StepBucket{.tokens = 16, .sequences = 1, .longest = 16}));
}

TEST(GraphKeyHash, TellsKeysApart) {
  std::set<std::size_t> hashes;
  for (int64_t tokens : {16, 32, 48}) {
    for (int64_t sequences : {1, 2, 4}) {
      for (const hub::Output output : {hub::Output::kDense, hub::Output::kTokens}) {
        hashes.insert(
            GraphKeyHash()({.bucket = {.tokens = tokens, .sequences = sequences, .longest = 16},
                            .outputs = output}));
      }
    }
  }
  EXPECT_EQ(hashes.size(), 18u);
}

}  // namespace
}  // namespace rose
