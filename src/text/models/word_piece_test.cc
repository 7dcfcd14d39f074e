#include "text/models/word_piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/models/model_scratch.h"

namespace text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int32_t kUnknown = 9;

Vocabulary Pieces() {
  return Vocabulary({"", "un", "##aff", "##able", "unaf", "##f", "é", "##é", "##", "?", "##a"});
}

std::vector<int32_t> Ids(const WordPiece& model, std::vector<std::string_view> words) {
  ModelScratch scratch;
  std::vector<int32_t> ids;
  for (const auto word : words) model.TokenizeWord(word, scratch, ids);
  return ids;
}

TEST(WordPieceTest, TakesTheLongestPieceFromTheLeft) {
  const WordPiece model({.unknown_piece = "?"}, Pieces());
  EXPECT_THAT(Ids(model, {"un", "unable"}), ElementsAre(1, 1, 3));
  EXPECT_THAT(Ids(model, {"unaffable"}), ElementsAre(4, 5, 3)) << "unaf before un + ##aff";
  EXPECT_THAT(Ids(model, {"éé"}), ElementsAre(6, 7));
}

TEST(WordPieceTest, AWordThatCannotBeSplitToItsEndIsUnknown) {
  const WordPiece model({.unknown_piece = "?"}, Pieces());
  EXPECT_THAT(Ids(model, {"unablex", "un"}), ElementsAre(kUnknown, 1));
  EXPECT_THAT(Ids(model, {"able"}), ElementsAre(kUnknown)) << "only known as a continuation";
  EXPECT_THAT(Ids(model, {"x"}), ElementsAre(kUnknown));
  EXPECT_THAT(Ids(model, {"##able"}), ElementsAre(3)) << "the piece as it is written";
  EXPECT_THAT(Ids(model, {}), IsEmpty());
}

TEST(WordPieceTest, Bug11_LengthIsCountedInCodePoints) {
  const WordPiece model({.unknown_piece = "?", .word_characters_max = 3}, Pieces());
  EXPECT_THAT(Ids(model, {"ééé"}), ElementsAre(6, 7, 7));
  EXPECT_THAT(Ids(model, {"éééé"}), ElementsAre(kUnknown));
  const WordPiece none({.unknown_piece = "?", .word_characters_max = 0}, Pieces());
  EXPECT_THAT(Ids(none, {"un"}), ElementsAre(kUnknown));
}

TEST(WordPieceTest, PrefixesAreThoseOfTheOptions) {
  const WordPiece other({.unknown_piece = "?", .continuing_prefix = "@@"}, Pieces());
  EXPECT_THAT(Ids(other, {"un", "unable"}), ElementsAre(1, kUnknown));
  const WordPiece none({.unknown_piece = "?", .continuing_prefix = ""}, Pieces());
  EXPECT_THAT(Ids(none, {"unun", "éun"}), ElementsAre(1, 1, 6, 1));
}

TEST(WordPieceTest, TokensKnowTheirPlace) {
  const WordPiece model({.unknown_piece = "?"}, Pieces());
  ModelScratch scratch;
  std::vector<Model::Token> tokens;
  model.TokenizeWord("unable", scratch, tokens);
  model.TokenizeWord("unablex", scratch, tokens);
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].id, 1);
  EXPECT_EQ(tokens[1].begin, 2u);
  EXPECT_EQ(tokens[1].end, 6u);
  EXPECT_EQ(tokens[2].id, kUnknown);
  EXPECT_EQ(tokens[2].begin, 0u);
  EXPECT_EQ(tokens[2].end, 7u) << "the whole word";
}

}  // namespace
}  // namespace text
