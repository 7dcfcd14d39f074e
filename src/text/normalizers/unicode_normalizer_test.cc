#include "text/normalizers/unicode_normalizer.h"

#include <gtest/gtest.h>

#include <random>

#include "text/unicode/utf8.h"

namespace text {
namespace {

/// The form of the whole text, without the quick check.
std::string Long(NormalForm::Kind kind, std::string_view text) {
  NormalizerScratch scratch;
  NormalForm::Get(kind).Append(text, scratch.marks, scratch.changes);
  std::string out;
  for (const auto& change : scratch.changes) AppendUtf8(change.character, out);
  return out;
}

std::string Normalized(NormalForm::Kind kind, std::string_view text) {
  NormalizerScratch scratch;
  std::string out = "before ";
  UnicodeNormalizer(kind).Normalize(text, scratch, out);
  EXPECT_TRUE(out.starts_with("before "));
  return out.substr(7);
}

TEST(UnicodeNormalizerTest, Normalizes) {
  EXPECT_EQ(Normalized(NormalForm::kNfc, "e\u0301 \u1112\u1161\u11AB \u212B"),
            "\u00E9 \uD55C \u00C5");
  EXPECT_EQ(Normalized(NormalForm::kNfd, "\u00E9 \uD55C"), "e\u0301 \u1112\u1161\u11AB");
  EXPECT_EQ(Normalized(NormalForm::kNfkc, "\uFB01 \uFF76\uFF9E \u00BD"), "fi \u30AC 1\u20442");
  EXPECT_EQ(Normalized(NormalForm::kNfkd, "\u1E9B\u0323"), "s\u0323\u0307");
  EXPECT_EQ(Normalized(NormalForm::kNfc, "\u0915\u093C \u0B95\u0BCA \u0B95\u0BC6\u0BBE"),
            "\u0915\u093C \u0B95\u0BCA \u0B95\u0BCA");
  EXPECT_EQ(Normalized(NormalForm::kNfc, "\u0301a"), "\u0301a") << "a mark without a letter";
  EXPECT_EQ(Normalized(NormalForm::kNfc, "\u00E9\u0323"), "\u1EB9\u0301") << "takes the mark off";
  EXPECT_EQ(Normalized(NormalForm::kNfc, "a\u1DF6\u0323"), "a\u1DF6\u0323")
      << "a mark of Unicode 10.0 keeps its place";
}

// Random texts of what the quick check has to tell apart, against the way without it.
TEST(UnicodeNormalizerTest, TheQuickCheckMissesNothing) {
  constexpr char32_t kCharacters[] = {
      'a',    'e',    ' ',    0xE9,   0xE7,    0x1EB9,  0x1E69, 0x300,  0x301,  0x323, 0x327,
      0x345,  0x344,  0x915,  0x928,  0x929,   0x93C,   0x94D,  0xBC6,  0xBBE,  0xBD7, 0xBCA,
      0x1100, 0x1161, 0x11A8, 0xAC00, 0xAC01,  0x3099,  0x30AB, 0x30AC, 0x302E, 0x338, 0x226E,
      0xFF9E, 0xFB01, 0xF71,  0xF73,  0x1D165, 0x1D15E, 0x212B, 0x2ADC, 0x1F82, 0x334};
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 40000; ++i) {
    std::string text;
    for (std::size_t size = 1 + random() % 8; size > 0; --size) {
      AppendUtf8(kCharacters[random() % std::size(kCharacters)], text);
    }
    for (const auto kind :
         {NormalForm::kNfc, NormalForm::kNfd, NormalForm::kNfkc, NormalForm::kNfkd}) {
      ASSERT_EQ(Normalized(kind, text), Long(kind, text)) << testing::PrintToString(text);
    }
  }
}

// Would take hours if sorting or composing were quadratic.
TEST(UnicodeNormalizerTest, Bug15_AMegabyteOfMarks) {
  std::string marks = "a", sorted = "a";
  for (int i = 0; i < 250'000; ++i) marks += "\u0338\u0327";  // classes 1 and 202
  for (int i = 0; i < 250'000; ++i) sorted += "\u0338";
  for (int i = 0; i < 250'000; ++i) sorted += "\u0327";
  EXPECT_TRUE(Normalized(NormalForm::kNfd, marks) == sorted);
  EXPECT_TRUE(Normalized(NormalForm::kNfc, marks) == sorted);
}

TEST(UnicodeNormalizerTest, CutsInFrontOfWhatJoinsNothing) {
  const UnicodeNormalizer nfc(NormalForm::kNfc), nfd(NormalForm::kNfd);
  EXPECT_TRUE(nfc.CanCut("a b", 1));
  EXPECT_TRUE(nfc.CanCut("ab", 1));
  EXPECT_FALSE(nfc.CanCut("a\u0301", 1));
  EXPECT_FALSE(nfc.CanCut("\u1100\u1161", 3));
  EXPECT_TRUE(nfd.CanCut("\u1100\u1161", 3));
}

}  // namespace
}  // namespace text
