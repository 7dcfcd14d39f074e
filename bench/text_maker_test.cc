#include "bench/text_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace bench {
namespace {

using testing::HasSubstr;

/// Of a tiny BERT: [CLS] and [SEP] stand around a text.
std::unique_ptr<text::Tokenizer> LoadTokenizer() {
  auto tokenizer = text::Tokenizer::FromFolder(PARTERRE_TEST_DATA "/models/bert-mean");
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
  return *std::move(tokenizer);
}

TEST(TextMaker, MakesTextsOfExactlySoManyTokens) {
  const auto tokenizer = LoadTokenizer();
  TextMaker maker(tokenizer.get());
  std::mt19937_64 random(1);
  text::Scratch scratch;
  for (const int length : {3, 4, 17, 128, 512, 1000}) {
    const auto text = maker.Make(length, random);
    ASSERT_TRUE(text.ok()) << text.status();
    std::vector<int32_t> ids;
    EXPECT_EQ(tokenizer->Encode(*text, {}, scratch, ids), static_cast<size_t>(length)) << *text;
  }
}

TEST(TextMaker, SaysThatSpecialTokensLeaveNoRoom) {
  const auto tokenizer = LoadTokenizer();
  TextMaker maker(tokenizer.get());
  std::mt19937_64 random(1);
  for (const int length : {1, 2}) {
    EXPECT_THAT(std::string(maker.Make(length, random).status().message()),
                HasSubstr("2 special tokens included"));
  }
}

}  // namespace
}  // namespace bench
