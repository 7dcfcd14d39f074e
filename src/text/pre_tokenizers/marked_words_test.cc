#include "text/pre_tokenizers/marked_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace text {
namespace {

using testing::ElementsAre;

std::vector<std::string> Words(std::string text) {
  WorkText work = {.data = text.data(), .size = text.size()};
  PreTokenizerScratch scratch;
  std::vector<std::string_view> words = {work.view()};
  MarkedWords(MarkedWords::kSpaceMark).Split(work, scratch, words);
  return {words.begin(), words.end()};
}

TEST(MarkedWordsTest, BeginAtEachRunOfMarks) {
  EXPECT_THAT(Words("▁a▁bc▁▁d"), ElementsAre("▁a", "▁bc", "▁▁d"));
  EXPECT_THAT(Words("a▁"), ElementsAre("a", "▁"));
  EXPECT_THAT(Words("▁▁"), ElementsAre("▁▁"));
  EXPECT_THAT(Words("abc"), ElementsAre("abc"));
}

TEST(MarkedWordsTest, TextsAreCutWhereWordsBegin) {
  const MarkedWords words(MarkedWords::kSpaceMark);
  EXPECT_TRUE(words.CanCut("a▁b", 1));
  EXPECT_FALSE(words.CanCut("a▁b", 4));
  EXPECT_FALSE(words.CanCut("a▁▁b", 4));
}

}  // namespace
}  // namespace text
