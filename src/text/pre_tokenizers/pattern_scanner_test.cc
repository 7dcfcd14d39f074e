#include "text/pre_tokenizers/pattern_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "common/avx2.h"
#include "text/pre_tokenizers/byte_window.h"
#include "text/pre_tokenizers/delimiter_split.h"
#include "text/pre_tokenizers/pattern_windows.h"
#include "text/pre_tokenizers/regex_pattern.h"
#include "text/pre_tokenizers/split_text.h"

namespace text {
namespace {

using testing::ElementsAre;

constexpr std::array kPatterns = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
};
constexpr std::array kRules = {ScanRules{}, ScanRules{.marks_are_letters = true},
                               ScanRules{.digits_max = 3}, ScanRules{.is_gpt2 = true}};

/// Random texts, most of them of pieces at which the patterns turn.
class Texts {
 public:
  explicit Texts(uint32_t seed) : random_(seed) {}

  std::string Next() {
    const std::size_t pieces = 1 + random_() % 40;
    const bool spaced = random_() % 2 == 0;
    std::string text;
    for (std::size_t i = 0; i < pieces; ++i) {
      if (spaced) text += ' ';
      if (random_() % 16 == 0) {
        AppendUtf8(AnyCodePoint(), text);
      } else if (random_() % 40 == 0) {
        text.append(70, " \na.1"[random_() % 5]);
      } else {
        text += kPieces[random_() % kPieces.size()];
      }
    }
    return text;
  }

 private:
  char32_t AnyCodePoint() {
    const auto c = static_cast<char32_t>(random_() % 0x110000);
    return c >= 0xD800 && c < 0xE000 ? U'x' : c;
  }

  static constexpr std::array<std::string_view, 54> kPieces = {
      "the",
      "a",
      "Don't",
      "'s",
      "'S",
      "''s",
      "'ll",
      "'l",
      "'RE",
      "'x",
      "'\u017F",
      "s",
      "stop",
      "1",
      "42",
      "1999",
      "\u0663\u0664",
      "\u00BD",
      ".",
      "...",
      "-",
      "(",
      ")\n",
      "\u3002",
      "\uFF0C",
      "\u00D7",
      "\u00F7",
      "\u00AB",
      " ",
      "  ",
      "\t",
      "\n",
      "\r\n",
      "\n    ",
      "\n \n",
      "\v",
      "\u00A0",
      "\u3000",
      "\u2028",
      "\u0085",
      "gr\u00F6\u00DFer",
      "\u00E9t\u00E9",
      "\u043C\u0438\u0440",
      "\u4E2D\u6587",
      "\u7684\u7684\u7684\u7684\u7684\u7684\u7684\u7684",
      "\u304B\u306A",
      "\uD55C\uAD6D",
      "\u0928\u093F",
      "\u0643\u0650",
      "e\u0301",
      "\u0301\u0301",
      "\U0001F44D",
      "\U00020000",
      "\u200D"};

  std::mt19937 random_;
};

/// The words of a text, one WordEnd after the other.
std::vector<std::string> PlainWords(const WordScanner& scanner, std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = scanner.WordEnd(text, begin);
    words.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

TEST(PatternScannerTest, IsKnownByThePatternsText) {
  for (const std::string_view pattern : kPatterns) {
    EXPECT_NE(PatternScanner::For(pattern), nullptr) << pattern;
  }
  EXPECT_EQ(PatternScanner::For(R"(\p{L}+|\s+)"), nullptr);
}

TEST(PatternScannerTest, FindsTheWordsOfPlainBodyAndRegularExpression) {
  Texts texts(20);
  for (std::size_t i = 0; i < kPatterns.size(); ++i) {
    const auto scanner = PatternScanner::For(kPatterns[i]);
    auto pattern = Regex::Compile(kPatterns[i]);
    ASSERT_TRUE(pattern.ok()) << pattern.status();
    const DelimiterSplit regex(std::make_unique<RegexPattern>(*std::move(pattern)), {});
    for (int round = 0; round < 4000; ++round) {
      const std::string text = texts.Next();
      const auto words = WordsOf(*scanner, text);
      ASSERT_EQ(words, WordsOf(regex, text)) << kPatterns[i];
      ASSERT_EQ(words, PlainWords(WordScanner(kRules[i]), text)) << kPatterns[i];
    }
  }
}

TEST(PatternScannerTest, EveryInstructionSetFindsTheSame) {
  if (!common::HasAvx2()) GTEST_SKIP() << "no AVX2 here";
  Texts texts(21);
  for (const ScanRules& rules : kRules) {
    const WordScanner scanner(rules);
    for (int round = 0; round < 4000; ++round) {
      const std::string text = texts.Next();
      const std::string padded = text + std::string(WorkText::kSlack, 's');
      const std::string_view word(padded.data(), text.size());
      std::vector<std::string_view> words, wide_words;
      {
        WordWriter writer(words), wide_writer(wide_words);
        PatternWindows<ByteWindow>::Split(scanner, word, writer);
        PatternWindowsAvx2::Split(scanner, word, wide_writer);
      }
      ASSERT_EQ(words, wide_words) << text;
    }
  }
}

TEST(PatternScannerTest, CutsBooksNearAnyPlace) {
  const PatternScanner scanner{ScanRules{}};
  const auto places = [&](std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); DecodeUtf8(text, at)) {
      if (at > 0 && scanner.CanCut(text, at)) ++count;
    }
    return count;
  };
  EXPECT_EQ(places("Call me Ishmael."), 3u);
  EXPECT_EQ(places("道可道，非常道。名可名，非常名。"), 4u);
  EXPECT_EQ(places("Все счастливые семьи\nпохожи"), 3u + 1u);
  EXPECT_EQ(places("a  b"), 1u);
  EXPECT_EQ(places("1984"), 3u);
}

TEST(PatternScannerTest, AnswersOfTheLibrary) {
  const PatternScanner scanner{ScanRules{}};
  EXPECT_THAT(WordsOf(scanner, "I'LL it'S"), ElementsAre("I", "'LL", " it", "'S"));
  EXPECT_THAT(WordsOf(scanner, "  \n\n x"), ElementsAre("  \n\n", " x"));
  EXPECT_THAT(WordsOf(scanner, "'\u017Fx"), ElementsAre("'\u017F", "x"));
  EXPECT_THAT(WordsOf(scanner, "!\u0085"), ElementsAre("!", "\u0085"));
  EXPECT_THAT(WordsOf(scanner, "a\u200Bb"), ElementsAre("a", "\u200Bb"));
  EXPECT_THAT(WordsOf(scanner, "x\u00A0y"), ElementsAre("x", "\u00A0y"));
}

/// Bytes that begin the character `c` and whether LetterLeads takes them for a letter's.
bool IsLetterLead(char32_t c) {
  std::string bytes;
  AppendUtf8(c, bytes);
  bytes.resize(ByteWindow::kBytes);
  return (LetterLeads(ByteWindow(bytes.data())) & 1) != 0;
}

TEST(LetterLeadsTest, BeginLettersAlone) {
  const Categories& categories = Categories::Get();
  std::size_t letters = 0;
  for (char32_t c = 0x80; c < 0x110000; ++c) {
    if ((c >= 0xD800 && c < 0xE000) || !IsLetterLead(c)) continue;
    ++letters;
    ASSERT_EQ(categories[c] & (kLetterCategory | kPunctuationCategory | kSpaceCategory),
              kLetterCategory)
        << std::hex << static_cast<uint32_t>(c);
  }
  EXPECT_GT(letters, 28000u);
}

}  // namespace
}  // namespace text
