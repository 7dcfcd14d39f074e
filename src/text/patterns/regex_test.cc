#include "text/patterns/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/check.h"

namespace text {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Matches(std::string_view pattern, std::string_view word) {
  const auto compiled = Regex::Compile(pattern);
  CHECK(compiled.ok()) << compiled.status().message();
  RegexScratch scratch;
  std::vector<std::string> matches;
  compiled->ForEachMatch(word, scratch, [&](std::size_t begin, std::size_t end) {
    matches.emplace_back(word.substr(begin, end - begin));
  });
  return matches;
}

std::string ErrorOf(std::string_view pattern) {
  return std::string(Regex::Compile(pattern).status().message());
}

TEST(RegexTest, ReadsRubysSyntax) {
  EXPECT_THAT(Matches(R"(\h+)", "xbeefy F0"), ElementsAre("beef", "F0"));
  EXPECT_THAT(Matches(R"(a{,2}b)", "aaab b"), ElementsAre("aab", "b"));
  EXPECT_THAT(Matches("(?m:a.b)", "a\nb"), ElementsAre("a\nb"));
  EXPECT_THAT(Matches("a.b", "a\nb a\rb"), ElementsAre("a\rb"));
  EXPECT_THAT(Matches(R"(^\w)", "a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(Matches(R"(\u0062)", "abc"), ElementsAre("b"));
  EXPECT_THAT(Matches(R"(\p{^L}+)", "ab12c"), ElementsAre("12"));
}

TEST(RegexTest, HasTheLibrarysSets) {
  EXPECT_THAT(Matches(R"(\s)", "\u0085\u180E\u3000"), ElementsAre("\u0085", "\u3000"));
  EXPECT_THAT(Matches(R"([^\S\n]+)", " \n\u2028"), ElementsAre(" ", "\u2028"));
  EXPECT_THAT(Matches(R"(\w+)", "e\u0301_\u00B2-\u200D"), ElementsAre("e\u0301_\u00B2"));
  EXPECT_THAT(Matches(R"([\w]+)", "a_\u00B2\u00BDb"), ElementsAre("a_", "b"));
  EXPECT_THAT(Matches(R"([\W])", "a\u00B2"), ElementsAre("\u00B2"));
  EXPECT_THAT(Matches(R"(\W)", "a\u00B2"), IsEmpty());
  // Letters of Unicode 16, whatever PCRE2 knows; none of 17.
  EXPECT_THAT(Matches(R"(\p{L})", "\U0001E5D0\U000323B0\U000323B1\uA7CB"),
              ElementsAre("\U0001E5D0", "\uA7CB"));
  EXPECT_THAT(Matches(R"([\P{L}])", "a1\uA7CB"), ElementsAre("1"));
  // A script, without the characters that scripts share.
  EXPECT_THAT(Matches(R"(\p{Han}+)", "\u6F22\u3001"), ElementsAre("\u6F22"));
}

TEST(RegexTest, IteratesAsOnigurumaDoes) {
  EXPECT_THAT(Matches("b*", "abba"), ElementsAre("", "bb", ""));
  EXPECT_THAT(Matches("x", "abc"), IsEmpty());
}

TEST(RegexTest, ErrorsNamePatternAndPlace) {
  EXPECT_THAT(ErrorOf("a(b"), AllOf(HasSubstr("\"a(b\""), HasSubstr("byte 3")));
  EXPECT_THAT(ErrorOf(R"(\s(b)"), HasSubstr("byte 4"));
  EXPECT_THAT(ErrorOf("[a&&b]"), AllOf(HasSubstr("byte 2"), HasSubstr("\"&&\"")));
  EXPECT_THAT(ErrorOf("[[:alpha:]]"), HasSubstr("byte 1"));
  EXPECT_THAT(ErrorOf("a(?i)b|c"), HasSubstr("byte 1"));
  EXPECT_THAT(ErrorOf("a{2}+"), HasSubstr("byte 3"));
  EXPECT_THAT(ErrorOf(R"(a\K)"), HasSubstr("byte 1"));
  EXPECT_THAT(ErrorOf("a\\"), HasSubstr("byte 1"));
  EXPECT_THAT(ErrorOf(R"(\p{Klingon})"), HasSubstr("Klingon"));
}

TEST(RegexTest, GivesUpSearchesThatDoNotEnd) {
  // The last "!" sends the search back through all ways to make up the word.
  EXPECT_THAT(Matches("(?:a|aa)+$", std::string(60, 'a') + "!"), IsEmpty());
}

TEST(RegexTest, BacktracksFar) {
  const std::string word(100000, 'a');
  EXPECT_THAT(Matches("(?:a|b)+", word), ElementsAre(word));
}

}  // namespace
}  // namespace text
