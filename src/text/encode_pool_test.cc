#include "text/encode_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "text/test_cases.h"

namespace text {
namespace {

using testing::Each;

/// Texts of many lengths, in no order of length.
std::vector<std::string> Texts() {
  constexpr unsigned kSeed = 5;
  std::mt19937 random(kSeed);
  std::vector<std::string> texts = {"", "one text"};
  for (int i = 0; i < 400; ++i) {
    std::string text;
    const std::size_t words = i % 97 == 0 ? 20'000 : random() % 60;
    for (std::size_t word = 0; word < words; ++word) {
      text += std::to_string(random() % 5000) + (word % 3 == 0 ? " tulips " : " caf\u00e9, ");
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string_view> Views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

TEST(EncodePoolTest, EveryTextHasItsIdsInItsPlace) {
  const Tokenizer& tokenizer = CaseTokenizer("bert");
  const std::vector<std::string> texts = Texts();
  std::vector<std::vector<int32_t>> expected;
  for (const std::string& text : texts) expected.push_back(Encode(tokenizer, text));
  EncodedTexts encoded;
  for (const int threads : {1, 2, 5}) {
    EncodePool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int round = 0; round < 3; ++round) {
      pool.Encode(tokenizer, Views(texts), {}, encoded);
      ASSERT_EQ(encoded.size(), texts.size());
      for (std::size_t i = 0; i < texts.size(); ++i) {
        ASSERT_EQ(std::vector(encoded[i].begin(), encoded[i].end()), expected[i])
            << threads << " threads, text " << i;
      }
    }
  }
}

TEST(EncodePoolTest, OptionsAreKept) {
  EncodePool pool(2);
  EncodedTexts encoded;
  const std::vector<std::string> texts = Texts();
  pool.Encode(CaseTokenizer("bert"), Views(texts), {.max_length = 7}, encoded);
  for (std::size_t i = 0; i < encoded.size(); ++i) EXPECT_LE(encoded[i].size(), 7u);
  pool.Encode(CaseTokenizer("bert"), {}, {}, encoded);
  EXPECT_EQ(encoded.size(), 0u);
}

TEST(EncodePoolTest, EveryIndexIsWorkedOnOnce) {
  EncodePool pool(4);
  std::vector<std::size_t> sizes(3000);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = i % 7 == 0 ? 100'000 : i;
  std::vector<int> calls(sizes.size());
  pool.ForEach(sizes, [&](std::size_t i, Scratch&) { ++calls[i]; });
  EXPECT_THAT(calls, Each(1));
  pool.ForEach({}, [&](std::size_t, Scratch&) { FAIL(); });
}

TEST(EncodePoolTest, MayEndWithoutWork) {
  for (int i = 0; i < 20; ++i) EncodePool pool(3);
}

}  // namespace
}  // namespace text
