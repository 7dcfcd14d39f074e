#include "ivy/job/splitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace ivy {
namespace {

int64_t TokensOf(const Chunk& chunk, const std::vector<int32_t>& lengths) {
  int64_t tokens = 0;
  for (const int32_t index : chunk) tokens += lengths[static_cast<std::size_t>(index)];
  return tokens;
}

TEST(Split, JobThatFitsKeepsItsOrder) {
  EXPECT_EQ(Split(std::vector<int32_t>{3, 9, 4}, 16, 4), (std::vector<Chunk>{{0, 1, 2}}));
}

TEST(Split, LongestFirstAndEven) {
  EXPECT_EQ(Split(std::vector<int32_t>{2, 9, 4, 7, 3}, 10, 3),
            (std::vector<Chunk>{{1}, {3, 0}, {2, 4}}));
}

TEST(Split, LongestFirstAndFullForOneReplica) {
  EXPECT_EQ(Split(std::vector<int32_t>{2, 9, 4, 7, 3}, 10, 1),
            (std::vector<Chunk>{{1}, {3, 4}, {2, 0}}));
  std::vector<std::size_t> sizes;
  for (const Chunk& chunk : Split(std::vector<int32_t>(50, 512), 4096, 1)) {
    sizes.push_back(chunk.size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{8, 8, 8, 8, 8, 8, 2}));
}

TEST(Split, SequenceLongerThanAChunkStandsAlone) {
  EXPECT_EQ(Split(std::vector<int32_t>{1, 50, 1}, 10, 1), (std::vector<Chunk>{{1}, {0, 2}}));
}

TEST(Split, MoreChunksThanReplicasAreAMultipleOfThem) {
  const std::vector<int32_t> lengths(100, 10);
  EXPECT_EQ(Split(lengths, 300, 8).size(), 4U);
  EXPECT_EQ(Split(lengths, 300, 3).size(), 6U);
  EXPECT_EQ(Split(lengths, 10, 8).size(), 100U);  // There is no more to part.
}

TEST(Split, WhatDoesNotPackWellIsEvenAllTheSame) {
  // Two to a chunk where the tokens alone would need 40 chunks: not 40 full ones and 10 leftovers.
  const std::vector<Chunk> chunks = Split(std::vector<int32_t>(100, 4), 10, 2);
  EXPECT_EQ(chunks.size(), 50U);
  for (const Chunk& chunk : chunks) EXPECT_EQ(chunk.size(), 2U);
}

TEST(Split, ChunksOfManySequencesAreEven) {
  std::mt19937 random(3);
  std::vector<int32_t> lengths(10'000);
  for (int32_t& length : lengths) length = static_cast<int32_t>(1 + random() % 512);
  const std::vector<Chunk> chunks = Split(lengths, 16'384, 4);
  EXPECT_EQ(chunks.size() % 4, 0U);
  int64_t least = INT64_MAX;
  int64_t most = 0;
  for (const Chunk& chunk : chunks) {
    least = std::min(least, TokensOf(chunk, lengths));
    most = std::max(most, TokensOf(chunk, lengths));
  }
  EXPECT_LE(most - least, 16);
}

TEST(Split, EachSequenceOnceAndNoChunkOverfull) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<int32_t> lengths(1 + random() % 300);
    for (int32_t& length : lengths) length = static_cast<int32_t>(1 + random() % 200);
    const auto chunk_tokens = static_cast<int64_t>(1 + random() % 600);
    const auto replicas = static_cast<int>(1 + random() % 6);
    std::vector<int32_t> seen;
    const std::vector<Chunk> chunks = Split(lengths, chunk_tokens, replicas);
    int32_t leader = INT32_MAX;
    for (const Chunk& chunk : chunks) {
      ASSERT_FALSE(chunk.empty());
      if (chunk.size() > 1) {
        ASSERT_LE(TokensOf(chunk, lengths), chunk_tokens);
      }
      if (chunks.size() > 1) {
        ASSERT_LE(lengths[static_cast<std::size_t>(chunk[0])], leader);
        leader = lengths[static_cast<std::size_t>(chunk[0])];
      }
      seen.insert(seen.end(), chunk.begin(), chunk.end());
    }
    std::sort(seen.begin(), seen.end());
    std::vector<int32_t> all(lengths.size());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(seen, all);
    // Where every length is at most half a chunk, no chunk but the least filled has room for one
    // more: all are more than half full, but for what the rounding adds.
    if (*std::max_element(lengths.begin(), lengths.end()) * 2 <= chunk_tokens) {
      const int64_t total = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
      ASSERT_LE(std::ssize(chunks), 2 * total / chunk_tokens + 1 + 2 * replicas);
    }
  }
}

}  // namespace
}  // namespace ivy
