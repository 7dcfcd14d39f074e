#include "hub/logit_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

using ::testing::HasSubstr;

std::string Message(const absl::StatusOr<LogitScore>& score) {
  return std::string(score.status().message());
}

TEST(ReadLogitScore, BothIdsOrTheOne) {
  TempFolder folder;
  folder.Write("1_LogitScore/config.json", R"({"true_token_id": 9693, "false_token_id": 0})");
  absl::StatusOr<LogitScore> score = ReadLogitScore(folder.path(), "1_LogitScore");
  ASSERT_TRUE(score.ok()) << score.status();
  EXPECT_EQ(score->true_token_id, 9693);
  EXPECT_EQ(score->false_token_id, 0);
  folder.Write("1_LogitScore/config.json", R"({"true_token_id": 0, "false_token_id": null})");
  score = ReadLogitScore(folder.path(), "1_LogitScore");
  ASSERT_TRUE(score.ok()) << score.status();
  EXPECT_EQ(score->true_token_id, 0);
  EXPECT_EQ(score->false_token_id, std::nullopt);
}

TEST(ReadLogitScore, RefusalsNameFileAndKey) {
  TempFolder folder;
  const auto refusal = [&] { return Message(ReadLogitScore(folder.path(), "1_LogitScore")); };
  EXPECT_THAT(refusal(), HasSubstr("1_LogitScore/config.json: file not found"));
  folder.Write("1_LogitScore/config.json", "{}");
  EXPECT_EQ(refusal(), "1_LogitScore/config.json: true_token_id: missing, expected a token id");
  folder.Write("1_LogitScore/config.json", R"({"true_token_id": -1})");
  EXPECT_THAT(refusal(), HasSubstr("true_token_id: expected an integer of 0 … "));
}

TEST(FindYesAndNo, InEitherFile) {
  TempFolder folder;
  folder.Write("tokenizer.json", R"({"model": {"vocab": {"no": 0, "yes": 7}}})");
  EXPECT_EQ(FindYesAndNo(folder.path())->true_token_id, 7);
  EXPECT_EQ(FindYesAndNo(folder.path())->false_token_id, 0);
  folder.Write("vocab.json", R"({"yes": 3, "no": 4})");
  EXPECT_EQ(FindYesAndNo(folder.path())->true_token_id, 3);
  EXPECT_EQ(FindYesAndNo(folder.path())->false_token_id, 4);
}

TEST(FindYesAndNo, WhatIsMissingIsNamed) {
  TempFolder folder;
  const auto refusal = [&] { return Message(FindYesAndNo(folder.path())); };
  EXPECT_THAT(refusal(), HasSubstr("vocab.json, tokenizer.json: file not found"));
  folder.Write("tokenizer.json", R"({"model": {"vocab": {"yes": 7}}})");
  EXPECT_THAT(refusal(), HasSubstr("tokenizer.json: model: vocab: no: missing; the score needs the "
                                   "token ids of \"yes\" and \"no\""));
  folder.Write("tokenizer.json", R"({"model": {"vocab": [["yes", -1.0]]}})");
  EXPECT_THAT(refusal(), HasSubstr("tokenizer.json: model: vocab: expected an object"));
  folder.Write("vocab.json", R"({"yes": "7", "no": 1})");
  EXPECT_THAT(refusal(), HasSubstr("vocab.json: yes: expected an integer"));
}

}  // namespace
}  // namespace hub
