#include "text/unicode/characters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace text {
namespace {

using testing::ElementsAre;

std::vector<char32_t> Decomposed(char32_t c) {
  const Parts parts = Characters::Get().Decompose(c);
  return {parts.begin(), parts.end()};
}

std::string Lower(char32_t c) {
  std::string out;
  Characters::Get().AppendLower(c, out);
  return out;
}

bool Has(char32_t c, Trait trait) { return (Characters::Get().traits(c) & trait) != 0; }

TEST(CharactersTest, Decomposes) {
  EXPECT_THAT(Decomposed(U'a'), ElementsAre(U'a'));
  EXPECT_THAT(Decomposed(U'é'), ElementsAre(U'e', 0x301));
  EXPECT_THAT(Decomposed(0x1F82), ElementsAre(0x3B1, 0x313, 0x300, 0x345));
  EXPECT_THAT(Decomposed(U'가'), ElementsAre(0x1100, 0x1161));
  EXPECT_THAT(Decomposed(U'각'), ElementsAre(0x1100, 0x1161, 0x11A8));
  EXPECT_THAT(Decomposed(0xD7A3), ElementsAre(0x1112, 0x1175, 0x11C2));
  EXPECT_THAT(Decomposed(0x10FFFF), ElementsAre(0x10FFFF));
  for (const char32_t c : {U'é', U'가', char32_t{0xD7A3}}) EXPECT_TRUE(Has(c, kDecomposesTrait));
  EXPECT_FALSE(Has(0xD7A4, kDecomposesTrait));
}

TEST(CharactersTest, Lowers) {
  EXPECT_EQ(Lower(U'A'), "a");
  EXPECT_EQ(Lower(U'a'), "a");
  EXPECT_EQ(Lower(U'ẞ'), "ß");
  EXPECT_EQ(Lower(U'Σ'), "σ");
  EXPECT_EQ(Lower(U'Ǆ'), "ǆ");
  EXPECT_EQ(Lower(U'ǅ'), "ǆ");
  EXPECT_EQ(Lower(U'İ'), "i\u0307");
  EXPECT_EQ(Lower(0x10400), "\U00010428");
  EXPECT_TRUE(Has(U'İ', kUpperTrait));
  EXPECT_FALSE(Has(U'ß', kUpperTrait));
}

// Which Unicode version a rule follows shows in characters that a later one added or moved.
TEST(CharactersTest, SetsFollowTheirOwnVersions) {
  EXPECT_TRUE(Has(0x301, kAccentTrait));
  EXPECT_FALSE(Has(0x8D4, kAccentTrait)) << "a mark of Unicode 9.0";
  EXPECT_TRUE(Has(0x200D, kRemovedByCleaningTrait));
  EXPECT_FALSE(Has(0x890, kRemovedByCleaningTrait)) << "a format character of Unicode 14.0";
  EXPECT_FALSE(Has(0x378, kRemovedByCleaningTrait)) << "unassigned";
  EXPECT_TRUE(Has(0x85, kWhitespaceTrait));
  EXPECT_FALSE(Has(0x200B, kWhitespaceTrait));
  EXPECT_TRUE(Has(0x2B820 - 1, kIdeographTrait));
  EXPECT_FALSE(Has(0x2B820, kIdeographTrait));
  EXPECT_TRUE(Has(U'$', kPunctuationTrait)) << "ASCII symbols count as punctuation";
  EXPECT_FALSE(Has(U'€', kPunctuationTrait));
  EXPECT_EQ(Characters::Get().combining_class(0x302E), 224);
  EXPECT_EQ(Characters::Get().combining_class(U'a'), 0);
}

TEST(CharactersTest, KnowsWordCharacters) {
  for (const char32_t c :
       {U'a', U'Z', U'0', U'_', U'é', U'漢', char32_t{0x301}, char32_t{0x200D}}) {
    EXPECT_TRUE(IsWordCharacter(c)) << static_cast<uint32_t>(c);
  }
  for (const char32_t c : {U' ', U'-', U'€', char32_t{0}, char32_t{0x10FFFF}}) {
    EXPECT_FALSE(IsWordCharacter(c)) << static_cast<uint32_t>(c);
  }
}

}  // namespace
}  // namespace text
