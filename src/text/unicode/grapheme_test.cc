#include "text/unicode/grapheme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "text/unicode/hangul.h"

namespace text {
namespace {

using ::testing::ElementsAre;

GraphemeBreak BreakOf(char32_t c) {
  if (IsSyllable(c)) return BreakOfSyllable(c);
  const auto range = std::find_if(kGraphemeBreaks.begin(), kGraphemeBreaks.end(),
                                  [c](const auto& r) { return r.first <= c && c <= r.last; });
  return range == kGraphemeBreaks.end() ? GraphemeBreak::kOther : range->value;
}

std::vector<std::u32string> Clusters(std::u32string_view text) {
  GraphemeCutter cutter;
  std::vector<std::u32string> clusters;
  for (const char32_t c : text) {
    if (cutter.Begins(BreakOf(c))) clusters.emplace_back();
    clusters.back() += c;
  }
  return clusters;
}

TEST(GraphemeTest, TheTableIsSorted) {
  for (std::size_t i = 1; i < kGraphemeBreaks.size(); ++i) {
    EXPECT_LT(kGraphemeBreaks[i - 1].last, kGraphemeBreaks[i].first);
  }
}

TEST(GraphemeTest, JoinsMarksAndHangul) {
  EXPECT_THAT(Clusters(U"ab\u0301\u0903c"), ElementsAre(U"a", U"b\u0301\u0903", U"c"));
  EXPECT_THAT(Clusters(U"\u1100\u1161\u11A8\uAC00\u11A8\uAC01\u1161"),
              ElementsAre(U"\u1100\u1161\u11A8", U"\uAC00\u11A8", U"\uAC01", U"\u1161"));
  EXPECT_THAT(Clusters(U"\u0600a\u0600\n"), ElementsAre(U"\u0600a", U"\u0600", U"\n"));
  EXPECT_THAT(Clusters(U"\r\n\r\u0301"), ElementsAre(U"\r\n", U"\r", U"\u0301"));
}

TEST(GraphemeTest, JoinsFlagsInPairsAndPictographsByZwj) {
  EXPECT_THAT(Clusters(U"\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7\U0001F1E9"),
              ElementsAre(U"\U0001F1E9\U0001F1EA", U"\U0001F1EB\U0001F1F7", U"\U0001F1E9"));
  EXPECT_THAT(Clusters(U"\u2764\uFE0F\u200D\U0001F525\u200Da"),
              ElementsAre(U"\u2764\uFE0F\u200D\U0001F525\u200D", U"a"));
  EXPECT_THAT(Clusters(U"a\u200D\u2764"), ElementsAre(U"a\u200D", U"\u2764"));
}

// GB9c.
TEST(GraphemeTest, JoinsConsonantsByALinker) {
  EXPECT_THAT(Clusters(U"\u0915\u094D\u0937"), ElementsAre(U"\u0915\u094D\u0937"));
  EXPECT_THAT(Clusters(U"\u0915\u094D\u200D\u0937"), ElementsAre(U"\u0915\u094D\u200D\u0937"));
  EXPECT_THAT(Clusters(U"\u0915\u094D\u200C\u0937"), ElementsAre(U"\u0915\u094D\u200C", U"\u0937"));
  EXPECT_THAT(Clusters(U"\u0915\u093C\u0937"), ElementsAre(U"\u0915\u093C", U"\u0937"));
}

}  // namespace
}  // namespace text
