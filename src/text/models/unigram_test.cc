#include "text/models/unigram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/json.h"
#include "text/models/model_scratch.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<Model>> Read(const nlohmann::json& json, PieceForm form = {}) {
  return Unigram::FromJson(common::JsonView(json, "tokenizer.json"), form);
}

std::unique_ptr<Model> Make(const nlohmann::json& json, PieceForm form = {}) {
  auto model = Read(json, form);
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

std::vector<int32_t> Ids(const Model& model, std::string_view word) {
  ModelScratch scratch;
  std::vector<int32_t> ids;
  model.TokenizeWord(word, scratch, ids);
  return ids;
}

std::vector<Model::Token> Tokens(const Model& model, std::string_view word) {
  ModelScratch scratch;
  std::vector<Model::Token> tokens;
  model.TokenizeWord(word, scratch, tokens);
  return tokens;
}

nlohmann::json WithVocab(nlohmann::json vocab) {
  return {{"type", "Unigram"}, {"unk_id", 0u}, {"vocab", std::move(vocab)}};
}

nlohmann::json Vocabulary(const std::vector<std::pair<std::string, double>>& vocab) {
  return WithVocab(vocab);
}

// What Hugging Face answers for made-up vocabularies (tests/data/tokenizers/unigram/make_cases.py).
TEST(UnigramTest, AgreesWithTheLibrary) {
  const auto path =
      std::filesystem::path(PARTERRE_TEST_DATA) / "tokenizers" / "unigram" / "models.json";
  const auto rows = common::ReadJsonFile(path);
  ASSERT_TRUE(rows.ok()) << rows.status();
  std::size_t compared = 0;
  for (const nlohmann::json& row : *rows) {
    const auto model = Make(row["model"]);
    for (const nlohmann::json& entry : row["words"]) {
      if (entry[1].is_null()) continue;
      const auto word = entry[0].get<std::string>();
      EXPECT_EQ(Ids(*model, word), entry[1].get<std::vector<int32_t>>()) << word;
      nlohmann::json offsets = nlohmann::json::array();
      for (const auto& [id, begin, end] : Tokens(*model, word)) {
        const std::string_view bytes = word;
        offsets.push_back(
            {CountCodePoints(bytes.substr(0, begin)), CountCodePoints(bytes.substr(0, end))});
      }
      EXPECT_EQ(offsets, entry[2]) << word;
      ++compared;
    }
  }
  EXPECT_GT(compared, 200u);
}

TEST(UnigramTest, Bug02_KeepsTheFirstOfEqualWays) {
  const auto model = Make(Vocabulary({{"<unk>", 0}, {"0", -1}, {"1", -1}, {"01", -2}, {"10", -2}}));
  EXPECT_THAT(Ids(*model, "01"), ElementsAre(3));
  EXPECT_THAT(Ids(*model, "010"), ElementsAre(1, 4)) << "the longer last piece was found first";
}

TEST(UnigramTest, MetaspaceIsASpaceInWordsAndInTheFileForBytes) {
  nlohmann::json json = Vocabulary({{"<unk>", 0},
                                    {"\u2581a", -1},
                                    {"<0xE2>", -9},
                                    {"<0x96>", -9},
                                    {"<0x81>", -9},
                                    {"<0x20>", -9}});
  json["byte_fallback"] = true;
  const auto model = Make(json, {PieceForm::Kind::kMetaspace});
  EXPECT_THAT(Ids(*model, " a"), ElementsAre(1));
  EXPECT_THAT(Ids(*model, " "), ElementsAre(2, 3, 4));
}

TEST(UnigramTest, BytesAreCharactersInByteLevelForm) {
  nlohmann::json json = Vocabulary({{"<unk>", 0}, {"Ġa", -1}, {"<0xC3>", -9}, {"<0x83>", -9}});
  const auto model = Make(json, {PieceForm::Kind::kByteLevel});
  EXPECT_THAT(Ids(*model, " a\xC3 a"), ElementsAre(1, 0, 1));
  json["byte_fallback"] = true;
  const auto bytes = Make(json, {PieceForm::Kind::kByteLevel});
  EXPECT_THAT(Ids(*bytes, " a\xC3 a"), ElementsAre(1, 2, 3, 1)) << "\\xC3 is written as U+00C3";
}

TEST(UnigramTest, LongWordsAreCutWhereNothingCrosses) {
  const auto model = Make(Vocabulary({{"<unk>", 0}, {"ab", -1}, {"b", -1}, {"aab", -1}}));
  std::string word;
  std::vector<int32_t> expected;
  for (int i = 0; i < 5000; ++i) {
    word += "ab";
    expected.push_back(1);
  }
  word += "xyz";  // One unknown token with what follows, across several looks for a cut.
  for (int i = 0; i < 3000; ++i) word += "é";
  expected.push_back(0);
  EXPECT_EQ(Ids(*model, word), expected);
  const auto tokens = Tokens(*model, word);
  EXPECT_EQ(tokens.back().begin, 10000u);
  EXPECT_EQ(tokens.back().end, word.size());
  ModelScratch scratch;
  std::vector<int32_t> ids;
  model->TokenizeWord(std::string(1 << 20, 'b'), scratch, ids);
  EXPECT_EQ(ids.size(), std::size_t{1} << 20);
  EXPECT_LT(scratch.unigram.nodes.size(), 1024u);
}

TEST(UnigramTest, TakesBytesThatAreNoUtf8) {
  const auto model = Make(Vocabulary({{"<unk>", 0}, {"a", -1}}));
  EXPECT_THAT(Ids(*model, "a\x80\xF0"), ElementsAre(1, 0));
  EXPECT_THAT(Ids(*model, "\xE2\x96"), ElementsAre(0));
}

TEST(UnigramTest, WithoutAnUnknownPieceUnknownCharactersAreLeftOut) {
  nlohmann::json json = Vocabulary({{"a", -1}});
  json["unk_id"] = nullptr;
  EXPECT_THAT(Ids(*Make(json), "xaxx"), ElementsAre(0));
  json["vocab"] = nlohmann::json::array();
  EXPECT_THAT(Ids(*Make(json), "xaxx"), ElementsAre());
}

TEST(UnigramTest, NamesWhatIsWrong) {
  const auto error = [](const nlohmann::json& json) {
    return std::string(Read(json).status().message());
  };
  EXPECT_THAT(error(WithVocab({{"a", "-1"}, 3})),
              HasSubstr("tokenizer.json: vocab[0]: expected [piece, score]"));
  EXPECT_THAT(error(Vocabulary({{"a", 1e300}})), HasSubstr("vocab[0]"));
  EXPECT_THAT(error(Vocabulary({{"a", -1}, {"a", -2}})), HasSubstr("vocab[1]"));
  EXPECT_THAT(error(WithVocab(3)), HasSubstr("expected a list"));
  nlohmann::json json = Vocabulary({{"a", -1}});
  json["unk_id"] = 1u;
  EXPECT_THAT(error(json), HasSubstr("unk_id: expected an integer from 0 to 0"));
  json["unk_id"] = 0u;
  json["alpha"] = 0.1;
  EXPECT_THAT(error(json), HasSubstr("alpha: key is not known"));
}

}  // namespace
}  // namespace text
