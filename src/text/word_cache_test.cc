#include "text/word_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <typename Cache>
typename Cache::Key KeyOf(const std::string& word) {
  typename Cache::Key key;
  key.fill(~uint64_t{0});
  std::memcpy(key.data(), word.data(), word.size());
  return key;
}

template <typename Cache>
std::vector<int32_t> Find(const Cache& cache, uint64_t hash, const std::string& word) {
  std::vector<int32_t> ids(Cache::kIdsMax);
  ids.resize(cache.Find(hash, KeyOf<Cache>(word), ids.data()));
  return ids;
}

template <typename Cache>
void Insert(Cache& cache, uint64_t hash, const std::string& word, std::vector<int32_t> ids) {
  cache.Insert(hash, KeyOf<Cache>(word), ids);
}

TEST(WordCacheTest, FindsWhatWasInserted) {
  ShortWordCache cache(8);
  EXPECT_THAT(Find(cache, 4, "word"), IsEmpty());
  Insert(cache, 4, "word", {7, -1, 9});
  EXPECT_THAT(Find(cache, 4, "word"), ElementsAre(7, -1, 9));
  EXPECT_THAT(Find(cache, 4, "ward"), IsEmpty()) << "the same hash";
  EXPECT_THAT(Find(cache, 4, "wor"), IsEmpty());
  EXPECT_THAT(Find(cache, 4, std::string("word\0", 5)), IsEmpty());
}

TEST(WordCacheTest, ASetHasFourPlaces) {
  ShortWordCache cache(4);
  for (int32_t i = 0; i < 5; ++i) {
    Insert(cache, static_cast<uint64_t>(i), std::string(1, static_cast<char>('a' + i)), {i});
  }
  EXPECT_THAT(Find(cache, 0, "a"), IsEmpty()) << "the oldest made room";
  EXPECT_THAT(Find(cache, 1, "b"), ElementsAre(1));
  EXPECT_THAT(Find(cache, 4, "e"), ElementsAre(4));
}

TEST(WordCacheTest, LeavesBeWhatDoesNotFit) {
  ShortWordCache cache(4);
  const std::string word(ShortWordCache::kWordBytesMax, 'x');
  Insert(cache, 0, word, std::vector<int32_t>(ShortWordCache::kIdsMax + 1));
  Insert(cache, 0, word, {});
  EXPECT_THAT(Find(cache, 0, word), IsEmpty());
  const std::vector<int32_t> most(ShortWordCache::kIdsMax, 3);
  Insert(cache, 0, word, most);
  EXPECT_EQ(Find(cache, 0, word), most);
}

// Every word's ids are made from the word, so that a line of two writers would show.
TEST(WordCacheTest, ThreadsNeverSeeAMixedLine) {
  LongWordCache cache(16);
  constexpr int kWords = 24, kRounds = 20000;
  std::vector<std::string> words;
  std::vector<std::vector<int32_t>> ids;
  for (int i = 0; i < kWords; ++i) {
    words.emplace_back(static_cast<std::size_t>(1 + i), static_cast<char>('a' + i % 26));
    ids.emplace_back(static_cast<std::size_t>(1 + i % 9), i);
  }
  std::atomic<int> found{0}, wrong{0};
  const auto run = [&](std::size_t first) {
    for (int round = 0; round < kRounds; ++round) {
      const std::size_t i = (first + static_cast<std::size_t>(round) * 7) % kWords;
      const auto seen = Find(cache, i, words[i]);
      if (seen.empty()) {
        Insert(cache, i, words[i], ids[i]);
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
