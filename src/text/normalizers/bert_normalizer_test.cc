#include "text/normalizers/bert_normalizer.h"

#include <gtest/gtest.h>

namespace text {
namespace {

std::string Normalized(std::string_view text, const BertNormalizer::Options& options = {}) {
  NormalizerScratch scratch;
  std::string out;
  BertNormalizer(options).Normalize(text, scratch, out);
  EXPECT_TRUE(scratch.marks.empty());
  return out;
}

constexpr BertNormalizer::Options kCased = {.strip_accents = false, .lowercase = false};

TEST(BertNormalizerTest, Bug09_StripsAccentsAndLowers) {
  EXPECT_EQ(Normalized("Kantō LǛSHI ザ ắ"), "kanto lushi サ a");
  EXPECT_EQ(Normalized("Größe ß"), "große ß");
  EXPECT_EQ(Normalized("İ Σς"), "i σς");
  EXPECT_EQ(Normalized("각"), "\u1100\u1161\u11A8");
  EXPECT_EQ(Normalized("カ\u3099"), "カ");
  EXPECT_EQ(Normalized("Kantō ザ ắ 각 Größe İ Σς", kCased), "Kantō ザ ắ 각 Größe İ Σς");
  EXPECT_EQ(Normalized("e\u0301 schön", kCased), "e\u0301 schön")
      << "neither taken apart nor joined";
  EXPECT_EQ(Normalized("Ō İ", {.strip_accents = false}), "ō i\u0307");
  EXPECT_EQ(Normalized("Ō É", {.lowercase = false}), "O E");
}

TEST(BertNormalizerTest, Cleans) {
  const std::string_view controls("a\0b\uFFFDc\u200Bd\u200De\uFEFFf\u0085g\uF059h", 26);
  EXPECT_EQ(Normalized(controls), "abcdefgh");
  EXPECT_EQ(Normalized("a\u00A0b\u2028c\td\r\ne"), "a b c d  e");
  EXPECT_EQ(Normalized("a\u0378b"), "a\u0378b") << "unassigned";
  EXPECT_EQ(Normalized("a\tb\u200B\x01", {.clean_text = false}), "a\tb\u200B\x01");
}

TEST(BertNormalizerTest, PutsSpacesAroundIdeographs) {
  EXPECT_EQ(Normalized("a漢字b"), "a 漢  字 b");
  EXPECT_EQ(Normalized("\uF900"), " \u8C48 ") << "a compatibility ideograph decomposes";
  EXPECT_EQ(Normalized("漢", {.handle_chinese_chars = false}), "漢");
}

// U+302E (class 224) and U+1D165 (class 216) are no accents to the reference and stay; what is
// dropped between them must not keep them from changing places, unless it is of class 0.
TEST(BertNormalizerTest, PutsTheMarksThatStayInOrder) {
  EXPECT_EQ(Normalized("a\u302E\U0001D165b"), "a\U0001D165\u302Eb");
  EXPECT_EQ(Normalized("a\u302E\u0301\U0001D165b"), "a\U0001D165\u302Eb");
  EXPECT_EQ(Normalized("a\u302E\u200B\U0001D165"), "a\U0001D165\u302E") << "cleaned before";
  EXPECT_EQ(Normalized("a\u302E\u093C\U0001D165"), "a\U0001D165\u302E") << "nukta, class 7";
  EXPECT_EQ(Normalized("a\u302E\u0941\U0001D165"), "a\u302E\U0001D165") << "vowel sign, class 0";
  EXPECT_EQ(Normalized("\u302E漢\U0001D165"), "\u302E 漢 \U0001D165");
  EXPECT_EQ(Normalized("a\u302E\U0001D165", kCased), "a\u302E\U0001D165");
}

TEST(BertNormalizerTest, SaysWhetherItLowers) {
  EXPECT_TRUE(BertNormalizer({}).LowerCases());
  EXPECT_FALSE(BertNormalizer(kCased).LowerCases());
}

TEST(BertNormalizerTest, Appends) {
  NormalizerScratch scratch;
  std::string out = "before ";
  BertNormalizer({}).Normalize("É", scratch, out);
  EXPECT_EQ(out, "before e");
}

}  // namespace
}  // namespace text
