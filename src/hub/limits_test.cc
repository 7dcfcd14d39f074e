#include "hub/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using ::testing::HasSubstr;

struct Files {
  const char* config = R"({"model_type": "bert", "max_position_embeddings": 512})";
  const char* sentence_bert = nullptr;
  const char* tokenizer = nullptr;
  std::optional<int> flag = std::nullopt;
};

absl::StatusOr<LengthLimit> Read(const Files& files) {
  TempFolder folder;
  if (files.sentence_bert) folder.Write("sentence_bert_config.json", files.sentence_bert);
  if (files.tokenizer) folder.Write("tokenizer_config.json", files.tokenizer);
  const auto sentence_bert = ReadSentenceBertConfig(folder.path());
  if (!sentence_bert.ok()) return sentence_bert.status();
  return ReadLengthLimit(folder.path(), Config(nlohmann::json::parse(files.config)), *sentence_bert,
                         files.flag);
}

int Tokens(const Files& files) {
  const absl::StatusOr<LengthLimit> limit = Read(files);
  EXPECT_TRUE(limit.ok()) << limit.status();
  return limit.ok() ? limit->tokens : 0;
}

std::string Refusal(const Files& files) { return std::string(Read(files).status().message()); }

TEST(LengthLimit, SentenceBertWinsOverTheTokenizer) {
  const Files files = {.sentence_bert = R"({"max_seq_length": 256})",
                       .tokenizer = R"({"model_max_length": 128})"};
  EXPECT_EQ(Tokens(files), 256);
  EXPECT_EQ(Read(files)->source, "sentence_bert_config.json: max_seq_length");
}

TEST(LengthLimit, NeverMoreThanThePositions) {
  EXPECT_EQ(Tokens({.sentence_bert = R"({"max_seq_length": 1024})"}), 512);
  EXPECT_EQ(Tokens({.tokenizer = R"({"model_max_length": 8192})"}), 512);
  EXPECT_EQ(Read({.tokenizer = R"({"model_max_length": 8192})"})->source,
            "config.json: max_position_embeddings");
}

TEST(LengthLimit, TokenizerLimitMayBeAbsentOrWithoutEnd) {
  EXPECT_EQ(Tokens({}), 512);
  EXPECT_EQ(Tokens({.tokenizer = "{}"}), 512);
  EXPECT_EQ(Tokens({.tokenizer = R"({"model_max_length": 1000000000000000019884624838656})"}), 512);
  EXPECT_EQ(Tokens({.tokenizer = R"({"model_max_length": 384})"}), 384);
  EXPECT_EQ(Tokens({.sentence_bert = R"({"max_seq_length": null})",
                    .tokenizer = R"({"model_max_length": 384})"}),
            384);
}

TEST(LengthLimit, Bug17_RobertaCountsFromBehindThePadId) {
  for (const char* family : {"roberta", "xlm-roberta", "camembert", "mpnet"}) {
    const nlohmann::json config = {
        {"model_type", family}, {"max_position_embeddings", 514}, {"pad_token_id", 1}};
    const std::string text = config.dump();
    EXPECT_EQ(Tokens({.config = text.c_str(), .tokenizer = R"({"model_max_length": 514})"}), 512)
        << family;
  }
  EXPECT_THAT(
      Refusal({.config = R"({"model_type": "roberta", "max_position_embeddings": 2})"}),
      HasSubstr("config.json: max_position_embeddings: expected more than the 2 positions"));
}

TEST(LengthLimit, MpnetCountsFromTwoWhateverItsPadId) {
  EXPECT_EQ(Tokens({.config = R"({"model_type": "mpnet", "max_position_embeddings": 514,
                                  "pad_token_id": 9})"}),
            512);
  EXPECT_EQ(Tokens({.config = R"({"model_type": "roberta", "max_position_embeddings": 514,
                                  "pad_token_id": 9})"}),
            504);
}

TEST(LengthLimit, RotaryPositionsHaveNoTable) {
  EXPECT_EQ(Tokens({.config = R"({"model_type": "xlm-roberta", "max_position_embeddings": 8194,
                                  "pad_token_id": 1, "position_embedding_type": "rotary"})"}),
            8194);
  EXPECT_EQ(Tokens({.config = R"({"model_type": "jina_embeddings_v3", "pad_token_id": 1,
                                  "max_position_embeddings": 8194})"}),
            8194);
}

TEST(LengthLimit, NomicTakesMoreThanItWasTrainedOn) {
  EXPECT_EQ(Tokens({.config = R"({"model_type": "nomic_bert", "max_position_embeddings": 2048,
                                  "n_positions": 8192, "max_trained_positions": 2048})",
                    .sentence_bert = R"({"max_seq_length": 8192})"}),
            8192);
  EXPECT_EQ(Tokens({.config = R"({"model_type": "nomic_bert", "max_trained_positions": 2048})"}),
            2048);
}

TEST(LengthLimit, PositionsMayBeNested) {
  EXPECT_EQ(Tokens({.config = R"({"text_config": {"max_position_embeddings": 100}})"}), 100);
}

TEST(LengthLimit, FlagWithinThePositions) {
  EXPECT_EQ(Tokens({.sentence_bert = R"({"max_seq_length": 256})", .flag = 512}), 512);
  EXPECT_EQ(Read({.flag = 16})->source, "--max-length");
  EXPECT_EQ(Refusal({.flag = 513}),
            "--max-length: expected at most 512 (config.json: max_position_embeddings), got 513");
  EXPECT_THAT(Refusal({.flag = 0}), HasSubstr("--max-length: expected at least 1"));
}

TEST(LengthLimit, SomethingMustSayIt) {
  EXPECT_THAT(Refusal({.config = "{}"}),
              HasSubstr("config.json: max_position_embeddings: missing"));
  EXPECT_EQ(Tokens({.config = "{}", .tokenizer = R"({"model_max_length": 77})"}), 77);
  EXPECT_EQ(Tokens({.config = "{}", .flag = 77}), 77);
}

TEST(LengthLimit, BadNumbersNameFileAndKey) {
  EXPECT_THAT(Refusal({.sentence_bert = R"({"max_seq_length": 0})"}),
              HasSubstr("sentence_bert_config.json: max_seq_length: expected an integer of 1"));
  EXPECT_THAT(Refusal({.tokenizer = R"({"model_max_length": -1})"}),
              HasSubstr("tokenizer_config.json: model_max_length: expected at least 1, got -1"));
}

TEST(ReadSentenceBertConfig, OlderNames) {
  TempFolder folder;
  folder.Write("sentence_xlm-roberta_config.json", R"({"max_seq_length": 128})");
  const auto config = ReadSentenceBertConfig(folder.path());
  ASSERT_TRUE(config.ok() && *config) << config.status();
  EXPECT_EQ((*config)->file_name(), "sentence_xlm-roberta_config.json");
}

}  // namespace
}  // namespace hub
