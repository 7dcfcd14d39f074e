#include "hub/model_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace hub {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<ModelShape> Read(const char* json) {
  return ReadModelShape(Config(nlohmann::json::parse(json)));
}

std::string Refusal(const char* json) { return std::string(Read(json).status().message()); }

void ExpectShape(const char* json) {
  const absl::StatusOr<ModelShape> shape = Read(json);
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(shape->layers, 2) << json;
  EXPECT_EQ(shape->hidden_size, 96) << json;
  EXPECT_EQ(shape->heads, 3) << json;
  EXPECT_EQ(shape->vocabulary_size, 857) << json;
}

TEST(ReadModelShape, UnderTheNamesOfEachFamily) {
  ExpectShape(R"({"num_hidden_layers": 2, "hidden_size": 96, "num_attention_heads": 3,
                  "vocab_size": 857})");
  ExpectShape(R"({"n_layers": 2, "dim": 96, "n_heads": 3, "vocab_size": 857})");
  ExpectShape(R"({"n_layer": 2, "n_embd": 96, "n_head": 3, "vocab_size": 857})");
  ExpectShape(R"({"hidden_size": 1, "text_config": {"num_hidden_layers": 2, "hidden_size": 96,
                  "num_attention_heads": 3, "vocab_size": 857}})");
}

TEST(ReadModelShape, WhatIsNotThereIsAbsentWhatIsWrongIsRefused) {
  EXPECT_EQ(Read("{}")->hidden_size, std::nullopt);
  EXPECT_EQ(Read("{}")->heads, std::nullopt);
  EXPECT_THAT(Refusal(R"({"hidden_size": 0})"), HasSubstr("hidden_size: expected an integer"));
  EXPECT_THAT(Refusal(R"({"text_config": {"vocab_size": "x"}})"),
              HasSubstr("text_config: vocab_size: expected an integer"));
}

TEST(ReadModelShape, NoModelHasSoManyLayers) {
  EXPECT_TRUE(Read(R"({"num_hidden_layers": 1024})").ok());
  EXPECT_EQ(Refusal(R"({"n_layers": 1025})"),
            "config.json: n_layers: expected at most 1024, got 1025");
}

TEST(ReadModelShape, HeadsMustDivideTheHiddenSize) {
  EXPECT_EQ(Refusal(R"({"hidden_size": 32, "num_attention_heads": 5})"),
            "config.json: num_attention_heads: expected a divisor of hidden_size 32, got 5");
  EXPECT_EQ(Refusal(R"({"dim": 32, "n_heads": 5})"),
            "config.json: n_heads: expected a divisor of dim 32, got 5");
  EXPECT_TRUE(Read(R"({"hidden_size": 72, "num_attention_heads": 5, "head_dim": 128})").ok());
}

TEST(ReadModelShape, KeyValueHeadsMustDivideTheHeads) {
  EXPECT_TRUE(
      Read(R"({"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2})").ok());
  EXPECT_EQ(Refusal(R"({"hidden_size": 32, "head_dim": 16, "num_attention_heads": 4,
                        "num_key_value_heads": 3})"),
            "config.json: num_key_value_heads: expected a divisor of num_attention_heads 4, got 3");
}

}  // namespace
}  // namespace hub
