#include "text/added_tokens.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

AddedToken Token(std::string content, int32_t id) {
  return {.content = std::move(content), .id = id};
}

/// The pieces of `text`: text in quotes, tokens as their ids.
std::vector<std::string> Pieces(std::vector<AddedToken> tokens, std::string_view text,
                                bool plain_special = false) {
  const AddedTokens added(std::move(tokens));
  AddedTokens::Scanner scanner(added, text, plain_special);
  std::vector<std::string> pieces;
  for (AddedTokens::Piece piece; scanner.Next(piece);) {
    pieces.push_back(piece.id ? fmt::format("{}", *piece.id) : fmt::format("'{}'", piece.text));
  }
  return pieces;
}

TEST(AddedTokensTest, CutsTheTextAtTokens) {
  const std::vector<AddedToken> tokens = {Token("[SEP]", 1), Token("[CLS]", 2)};
  EXPECT_THAT(Pieces(tokens, "a [SEP]b[CLS][SEP]"), ElementsAre("'a '", "1", "'b'", "2", "1"));
  EXPECT_THAT(Pieces(tokens, "[sep] [[SEP]] [SEP"), ElementsAre("'[sep] ['", "1", "'] [SEP'"));
  EXPECT_THAT(Pieces(tokens, "plain"), ElementsAre("'plain'"));
  EXPECT_THAT(Pieces(tokens, ""), IsEmpty());
  EXPECT_THAT(Pieces({}, "plain"), ElementsAre("'plain'"));
}

TEST(AddedTokensTest, TheFirstTokenWinsThenTheLongest) {
  const std::vector<AddedToken> tokens = {Token("ab", 1), Token("abc", 2), Token("bcd", 3)};
  EXPECT_THAT(Pieces(tokens, "abcd"), ElementsAre("2", "'d'"));
  EXPECT_THAT(Pieces(tokens, "abbcd"), ElementsAre("1", "3"));
}

TEST(AddedTokensTest, StripsWhitespace) {
  AddedToken left = Token("<l>", 1), right = Token("<r>", 2);
  left.lstrip = true;
  right.rstrip = true;
  EXPECT_THAT(Pieces({left, right}, "a \u3000<l> b <r>\t\u00A0c"),
              ElementsAre("'a'", "1", "' b '", "2", "'c'"));
  EXPECT_THAT(Pieces({left, right}, "<r>  <l>"), ElementsAre("2", "1"));
  EXPECT_THAT(Pieces({left, right}, "  <l>"), ElementsAre("1"));
  EXPECT_THAT(Pieces({left, right}, "<r>  "), ElementsAre("2"));
  EXPECT_THAT(Pieces({left}, "é<l>"), ElementsAre("'é'", "1"));
}

TEST(AddedTokensTest, ATokenOfWhitespaceIsNotFoundInWhatAnotherTook) {
  AddedToken both = Token("\n", 1);
  both.lstrip = both.rstrip = true;
  EXPECT_THAT(Pieces({both}, "a\n\n\nb"), ElementsAre("'a'", "1", "'b'"));
}

TEST(AddedTokensTest, SingleWordsStandAlone) {
  AddedToken token = Token("<m>", 1);
  token.single_word = true;
  EXPECT_THAT(Pieces({token}, "<m> a<m> <m>b-<m>,"), ElementsAre("1", "' a<m> <m>b-'", "1", "','"));
  EXPECT_THAT(Pieces({token}, "é<m> <m>漢 _<m> \u0301<m>"),
              ElementsAre("'é<m> <m>漢 _<m> \u0301<m>'"));
  EXPECT_THAT(Pieces({token}, "€<m>。"), ElementsAre("'€'", "1", "'。'"));
}

TEST(AddedTokensTest, ATokenThatMayNotStandHidesTheOthersInIt) {
  AddedToken word = Token("ab", 1);
  word.single_word = true;
  EXPECT_THAT(Pieces({word, Token("b", 2)}, "xab b"), ElementsAre("'xab '", "2"));
}

TEST(AddedTokensTest, SpecialOnesMayBePlain) {
  AddedToken special = Token("[SEP]", 1);
  special.special = true;
  const std::vector<AddedToken> tokens = {special, Token("<x>", 2)};
  EXPECT_THAT(Pieces(tokens, "[SEP]<x>"), ElementsAre("1", "2"));
  EXPECT_THAT(Pieces(tokens, "[SEP]<x>", /*plain_special=*/true), ElementsAre("'[SEP]'", "2"));
}

TEST(AddedTokensTest, ManyTokensAndAnyBytes) {
  std::vector<AddedToken> tokens;
  tokens.reserve(1001);
  for (int32_t id = 0; id < 1000; ++id) tokens.push_back(Token(fmt::format("<{}>", id), id));
  tokens.push_back(Token(std::string("\0", 1), 1000));
  EXPECT_THAT(Pieces(tokens, std::string_view("<7><77>\0<1000>", 14)),
              ElementsAre("7", "77", "1000", "'<1000>'"));
}

}  // namespace
}  // namespace text
