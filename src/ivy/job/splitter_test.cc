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
  EXPECT_EQ(Split(std::vector<int32_t>{3, 9, 4}, 16), (std::vector<Chunk>{{0, 1, 2}}));
}

TEST(Split, LongestFirstAndFilledUp) {
  EXPECT_EQ(Split(std::vector<int32_t>{2, 9, 4, 7, 3}, 10),
            (std::vector<Chunk>{{1}, {3, 4}, {2, 0}}));
}

TEST(Split, SequenceLongerThanAChunkStandsAlone) {
  EXPECT_EQ(Split(std::vector<int32_t>{1, 50, 1}, 10), (std::vector<Chunk>{{1}, {0, 2}}));
}

TEST(Split, EachSequenceOnceAndNoChunkOverfull) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<int32_t> lengths(1 + random() % 300);
    for (int32_t& length : lengths) length = static_cast<int32_t>(1 + random() % 200);
    const auto chunk_tokens = static_cast<int64_t>(1 + random() % 600);
    std::vector<int32_t> seen;
    const std::vector<Chunk> chunks = Split(lengths, chunk_tokens);
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
    // Best-fit decreasing needs at most 11/9 of the optimum and one more (Dósa 2007: 6/9), and the
    // optimum at least total / chunk_tokens; with every length at most half a chunk both are near.
    if (*std::max_element(lengths.begin(), lengths.end()) * 2 <= chunk_tokens) {
      const int64_t total = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
      ASSERT_LE(static_cast<int64_t>(chunks.size()), total / chunk_tokens * 3 / 2 + 2);
    }
  }
}

}  // namespace
}  // namespace ivy
