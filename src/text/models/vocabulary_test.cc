#include "text/models/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace text {
namespace {

using testing::HasSubstr;

absl::StatusOr<Vocabulary> Read(const char* json) {
  const auto document = nlohmann::json::parse(json);
  return Vocabulary::FromObject(common::JsonView(document, "tokenizer.json"));
}

TEST(VocabularyTest, KnowsItsPieces) {
  const auto vocabulary = Read(R"({"b": 3, "a": 0, "##able": 1})");
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.status();
  EXPECT_EQ(vocabulary->IdOf("##able"), 1);
  EXPECT_EQ(vocabulary->IdOf("b"), 3);
  EXPECT_EQ(vocabulary->IdOf("c"), std::nullopt);
  EXPECT_EQ(vocabulary->IdOf(""), std::nullopt);
  EXPECT_EQ(vocabulary->PieceOf(0), "a");
  EXPECT_EQ(vocabulary->PieceOf(3), "b");
  for (const int32_t id : {-1, 2, 4}) EXPECT_EQ(vocabulary->PieceOf(id), "") << id;
  EXPECT_EQ(vocabulary->size(), 3u);
  EXPECT_EQ(vocabulary->ids_end(), 4);
}

TEST(VocabularyTest, EmptyOneKnowsNothing) {
  EXPECT_EQ(Vocabulary().IdOf("a"), std::nullopt);
  EXPECT_EQ(Vocabulary().PieceOf(0), "");
  EXPECT_EQ(Vocabulary().ids_end(), 0);
}

TEST(VocabularyTest, RefusesWhatCannotBeMeant) {
  EXPECT_THAT(Read(R"({"a": 1, "b": 1})").status().message(), HasSubstr("id 1 is that of"));
  EXPECT_THAT(Read(R"({"a": -1})").status().message(), HasSubstr("a: expected"));
  EXPECT_THAT(Read(R"({"a": 2000000000})").status().message(), HasSubstr("too large"));
  EXPECT_THAT(Read(R"({"a b": "1"})").status().message(),
              HasSubstr("tokenizer.json: [\"a b\"]: expected an integer"));
  EXPECT_FALSE(Read(R"(["a"])").ok());
}

TEST(VocabularyTest, TakesNumbersOfDocumentsMadeHere) {
  const nlohmann::json document = {{"a", int32_t{0}}, {"b", int64_t{1}}, {"c", uint64_t{2}}};
  const auto vocabulary = Vocabulary::FromObject(common::JsonView(document, "tokenizer.json"));
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.status();
  EXPECT_EQ(vocabulary->ids_end(), 3);
}

TEST(VocabularyTest, RepeatedPiecesAreTold) {
  std::size_t repeated = 0;
  const auto tell = [&](std::size_t id) {
    repeated = id;
    return absl::InvalidArgumentError("told");
  };
  EXPECT_EQ(Vocabulary::FromPieces({"a", "", "b", "", "a"}, tell).status().message(), "told");
  EXPECT_EQ(repeated, 4u);
  EXPECT_TRUE(Vocabulary::FromPieces({"a", "", "b", ""}, tell).ok());
}

}  // namespace
}  // namespace text
