#include "text/normalizers/aligned_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace text {
namespace {

using testing::ElementsAre;

TEST(AlignedTextTest, EveryByteStandsForItsCharacter) {
  const AlignedText text("aé", 5);
  EXPECT_EQ(text.bytes(), "aé");
  EXPECT_THAT(text.sources(), ElementsAre(SourceSpan{5, 6}, SourceSpan{6, 8}, SourceSpan{6, 8}));
}

TEST(AlignedTextTest, TransformCountsAsHuggingFaceDoes) {
  AlignedText text("abcd", 5);
  // b goes, c becomes x and y, d stays.
  text.Transform(1, 4, std::vector<AlignedText::Change>{{U'x', 0}, {U'y', 1}, {U'd', 0}}, 1);
  EXPECT_EQ(text.bytes(), "axyd");
  EXPECT_THAT(text.sources(),
              ElementsAre(SourceSpan{5, 6}, SourceSpan{7, 8}, SourceSpan{7, 8}, SourceSpan{8, 9}));
  text.Transform(0, 4, std::vector<AlignedText::Change>{{U'z', 1}, {U'a', -2}, {U'd', 0}});
  EXPECT_EQ(text.bytes(), "zad");
  EXPECT_THAT(text.sources(), ElementsAre(SourceSpan{5, 5}, SourceSpan{5, 6}, SourceSpan{8, 9}))
      << "nothing stands before the first";
}

TEST(AlignedTextTest, Filters) {
  AlignedText text("--a-b--");
  text.Filter([](char32_t c) { return c != U'-'; });
  EXPECT_EQ(text.bytes(), "ab");
  EXPECT_THAT(text.sources(), ElementsAre(SourceSpan{2, 3}, SourceSpan{4, 5}));
  text.Filter([](char32_t) { return false; });
  EXPECT_EQ(text.bytes(), "");
  EXPECT_THAT(text.sources(), ElementsAre());
}

TEST(AlignedTextTest, Expands) {
  AlignedText text("aé");
  text.Expand([](char32_t c, std::string& out) { out += c == U'a' ? "xy" : "z"; });
  EXPECT_EQ(text.bytes(), "xyz");
  EXPECT_THAT(text.sources(), ElementsAre(SourceSpan{0, 1}, SourceSpan{0, 1}, SourceSpan{1, 3}));
}

TEST(AlignedTextTest, Replaces) {
  AlignedText text("abcd");
  text.Replace(std::vector<AlignedText::Replacement>{{0, 0, "x"}, {1, 3, "y"}, {4, 4, "z"}});
  EXPECT_EQ(text.bytes(), "xaydz");
  EXPECT_THAT(text.sources(), ElementsAre(SourceSpan{0, 0}, SourceSpan{0, 1}, SourceSpan{2, 3},
                                          SourceSpan{3, 4}, SourceSpan{3, 4}));
}

}  // namespace
}  // namespace text
