#include "text/word_piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int32_t kUnknown = 9;

std::vector<Trie::Entry> Vocabulary() {
  return {{"?", kUnknown}, {"un", 1}, {"##aff", 2}, {"##able", 3}, {"unaf", 4},
          {"##f", 5},      {"é", 6},  {"##é", 7},   {"##", 8},     {"##a", 10}};
}

std::vector<int32_t> Ids(const WordPiece& model, std::vector<std::string_view> words,
                         std::size_t ids_max = 100) {
  std::vector<int32_t> ids;
  model.Tokenize(words, ids_max, ids);
  return ids;
}

TEST(WordPieceTest, TakesTheLongestPieceFromTheLeft) {
  const WordPiece model({.unknown_piece = "?"}, Vocabulary());
  EXPECT_THAT(Ids(model, {"un", "unable"}), ElementsAre(1, 1, 3));
  EXPECT_THAT(Ids(model, {"unaffable"}), ElementsAre(4, 5, 3)) << "unaf before un + ##aff";
  EXPECT_THAT(Ids(model, {"éé"}), ElementsAre(6, 7));
}

TEST(WordPieceTest, AWordThatCannotBeSplitToItsEndIsUnknown) {
  const WordPiece model({.unknown_piece = "?"}, Vocabulary());
  EXPECT_THAT(Ids(model, {"unablex", "un"}), ElementsAre(kUnknown, 1));
  EXPECT_THAT(Ids(model, {"able"}), ElementsAre(kUnknown)) << "only known as a continuation";
  EXPECT_THAT(Ids(model, {"x"}), ElementsAre(kUnknown));
  EXPECT_THAT(Ids(model, {"##able"}), ElementsAre(3)) << "the piece as it is written";
  EXPECT_THAT(Ids(model, {}), IsEmpty());
}

TEST(WordPieceTest, LengthIsCountedInCodePoints) {
  const WordPiece model({.unknown_piece = "?", .word_characters_max = 3}, Vocabulary());
  EXPECT_THAT(Ids(model, {"ééé"}), ElementsAre(6, 7, 7));
  EXPECT_THAT(Ids(model, {"éééé"}), ElementsAre(kUnknown));
  const WordPiece none({.unknown_piece = "?", .word_characters_max = 0}, Vocabulary());
  EXPECT_THAT(Ids(none, {"un"}), ElementsAre(kUnknown));
}

TEST(WordPieceTest, PrefixesAreThoseOfTheOptions) {
  const WordPiece other({.unknown_piece = "?", .continuing_prefix = "@@"}, Vocabulary());
  EXPECT_THAT(Ids(other, {"un", "unable"}), ElementsAre(1, kUnknown));
  const WordPiece none({.unknown_piece = "?", .continuing_prefix = ""}, Vocabulary());
  EXPECT_THAT(Ids(none, {"unun", "éun"}), ElementsAre(1, 1, 6, 1));
}

TEST(WordPieceTest, StopsAfterTheWordThatReachesTheLimit) {
  const WordPiece model({.unknown_piece = "?"}, Vocabulary());
  EXPECT_THAT(Ids(model, {"un", "unable", "un"}, 2), ElementsAre(1, 1, 3));
  EXPECT_THAT(Ids(model, {"un"}, 0), IsEmpty());
}

TEST(WordPieceTest, KnowsItsPieces) {
  const WordPiece model({.unknown_piece = "?"}, Vocabulary());
  EXPECT_EQ(model.IdOf("##able"), 3);
  EXPECT_EQ(model.IdOf("unaf"), 4);
  EXPECT_EQ(model.IdOf("una"), std::nullopt);
  EXPECT_EQ(model.IdOf(""), std::nullopt);
  EXPECT_EQ(model.size(), 10u);
  EXPECT_EQ(model.ids_end(), 11);
}

}  // namespace
}  // namespace text
