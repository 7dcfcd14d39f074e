#include "text/pre_tokenizers/bert_pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/pre_tokenizers/split_text.h"

namespace text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Words(std::string_view text) { return WordsOf(BertPreTokenizer(), text); }

TEST(BertPreTokenizerTest, SplitsAtWhitespaceAndPunctuation) {
  EXPECT_THAT(Words("Hey friend!     How are you?!?"),
              ElementsAre("Hey", "friend", "!", "How", "are", "you", "?", "!", "?"));
  EXPECT_THAT(Words("don't $5 a€b"), ElementsAre("don", "'", "t", "$", "5", "a€b"));
  EXPECT_THAT(Words("«à»、。x"), ElementsAre("«", "à", "»", "、", "。", "x"));
  EXPECT_THAT(Words("a\u0085b\u3000c\u200Bd\x1C"
                    "e"),
              ElementsAre("a", "b",
                          "c\u200Bd\x1C"
                          "e"));
}

TEST(BertPreTokenizerTest, BlankTextsHaveNoWords) {
  EXPECT_THAT(Words(""), IsEmpty());
  EXPECT_THAT(Words(" \t\r\n\u00A0"), IsEmpty());
}

}  // namespace
}  // namespace text
