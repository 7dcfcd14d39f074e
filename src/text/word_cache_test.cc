#include "text/word_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Cache = WordCache<64>;
using LongCache = WordCache<256>;

/// With the bytes that may be read behind it.
std::string Padded(std::string word) {
  word.reserve(word.size() + 8);
  return word;
}

template <typename AnyCache>
std::vector<int32_t> Find(const AnyCache& cache, uint64_t hash, const std::string& word) {
  std::vector<int32_t> ids(AnyCache::kIdsMax + 1);
  ids.resize(cache.Find(hash, word, ids.data()));
  return ids;
}

TEST(WordCacheTest, FindsWhatWasInserted) {
  Cache cache(8);
  const std::string word = Padded("word"), other = Padded("ward");
  EXPECT_THAT(Find(cache, 4, word), IsEmpty());
  cache.Insert(4, word, std::vector<int32_t>{7, -1, 9});
  EXPECT_THAT(Find(cache, 4, word), ElementsAre(7, -1, 9));
  EXPECT_THAT(Find(cache, 4, other), IsEmpty()) << "the same hash";
  EXPECT_THAT(Find(cache, 4, Padded("wor")), IsEmpty());
  EXPECT_THAT(Find(cache, 4, Padded(std::string("word\0", 5))), IsEmpty());
}

TEST(WordCacheTest, AWordHasTwoPlaces) {
  Cache cache(2);
  const std::vector<std::string> words = {Padded("a"), Padded("b"), Padded("c")};
  for (std::size_t i = 0; i < words.size(); ++i) {
    cache.Insert(i, words[i], std::vector<int32_t>{static_cast<int32_t>(i)});
  }
  EXPECT_THAT(Find(cache, 0, words[0]), IsEmpty()) << "the oldest made room";
  EXPECT_THAT(Find(cache, 1, words[1]), ElementsAre(1));
  EXPECT_THAT(Find(cache, 2, words[2]), ElementsAre(2));
}

TEST(WordCacheTest, LeavesBeWhatDoesNotFit) {
  Cache cache(2);
  const std::string word = Padded(std::string(40, 'x'));
  cache.Insert(0, word, std::vector<int32_t>(5));
  EXPECT_THAT(Find(cache, 0, word), IsEmpty());
  cache.Insert(0, word, std::vector<int32_t>{});
  EXPECT_THAT(Find(cache, 0, word), IsEmpty());
  cache.Insert(0, word, std::vector<int32_t>(4, 3));
  EXPECT_THAT(Find(cache, 0, word), ElementsAre(3, 3, 3, 3));
  LongCache long_cache(2);
  const std::string longer = Padded(std::string(201, 'x')), longest(300, 'x');
  long_cache.Insert(0, longer, std::vector<int32_t>(10, 5));
  EXPECT_EQ(Find(long_cache, 0, longer), std::vector<int32_t>(10, 5));
  long_cache.Insert(0, longest, std::vector<int32_t>{1});
  EXPECT_THAT(Find(long_cache, 0, longest), IsEmpty());
}

// Every word's ids are made from the word, so that a line of two writers would show.
TEST(WordCacheTest, ThreadsNeverSeeAMixedLine) {
  LongCache cache(4);
  constexpr int kWords = 50, kRounds = 20000;
  std::vector<std::string> words;
  std::vector<std::vector<int32_t>> ids;
  for (int i = 0; i < kWords; ++i) {
    words.push_back(
        Padded(std::string(static_cast<std::size_t>(1 + i), static_cast<char>('a' + i % 26))));
    ids.emplace_back(static_cast<std::size_t>(1 + i % 9), i);
  }
  std::atomic<int> found{0}, wrong{0};
  const auto run = [&](std::size_t first) {
    for (int round = 0; round < kRounds; ++round) {
      const std::size_t i = (first + static_cast<std::size_t>(round) * 7) % kWords;
      const auto seen = Find(cache, i, words[i]);
      if (seen.empty()) {
        cache.Insert(i, words[i], ids[i]);
      } else {
        ++found;
        if (seen != ids[i]) ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) threads.emplace_back(run, i);
  for (auto& thread : threads) thread.join();
  EXPECT_GT(found, 0);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace text
