#include "text/models/trie.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace text {
namespace {

TEST(TrieTest, WithoutKeysFindsNothing) {
  const Trie trie;
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(trie.Child(Trie::kRoot, static_cast<char>(byte)), Trie::kNone);
  }
  EXPECT_EQ(trie.LongestPrefix(Trie::kRoot, "abc").size, 0u);
}

TEST(TrieTest, FindsTheLongestKey) {
  const Trie trie({{"un", 1}, {"unable", 2}, {"##able", 3}, {"##", 4}, {"", 5}});
  EXPECT_EQ(trie.LongestPrefix(Trie::kRoot, "unabl").size, 2u);
  EXPECT_EQ(trie.LongestPrefix(Trie::kRoot, "unables").value, 2);
  EXPECT_EQ(trie.LongestPrefix(Trie::kRoot, "x").size, 0u);
  EXPECT_EQ(trie.LongestPrefix(Trie::kRoot, "").size, 0u);
  const Trie::Node continuing = trie.Find("##");
  EXPECT_EQ(trie.LongestPrefix(continuing, "able").value, 3);
  EXPECT_EQ(trie.LongestPrefix(continuing, "abl").size, 0u) << "the key that ends here is no match";
  EXPECT_EQ(trie.value(trie.Find("")), 5);
  EXPECT_EQ(trie.value(trie.Find("unab")), -1);
  EXPECT_EQ(trie.Find("unx"), Trie::kNone);
}

// Random keys over few and over all bytes, NUL included, against an ordered map.
TEST(TrieTest, AgreesWithAMap) {
  std::mt19937 random(7);
  for (const unsigned letters : {2u, 5u, 256u}) {
    const auto string = [&](std::size_t size_max) {
      std::string bytes(random() % (size_max + 1), '\0');
      for (char& byte : bytes) byte = static_cast<char>(random() % letters);
      return bytes;
    };
    std::map<std::string, int32_t> map;
    for (int i = 0; i < 20000; ++i) map.emplace(string(12), i);
    std::vector<Trie::Entry> entries;
    entries.reserve(map.size());
    for (const auto& [key, value] : map) entries.push_back({key, value});
    const Trie trie(std::move(entries));
    for (const auto& [key, value] : map) ASSERT_EQ(trie.value(trie.Find(key)), value);
    for (int i = 0; i < 20000; ++i) {
      const std::string text = string(16);
      const Trie::Match match = trie.LongestPrefix(Trie::kRoot, text);
      std::size_t size = text.size();
      while (size > 0 && !map.contains(text.substr(0, size))) --size;
      ASSERT_EQ(match.size, size);
      ASSERT_EQ(match.value, size > 0 ? map.at(text.substr(0, size)) : -1);
    }
  }
}

}  // namespace
}  // namespace text
