#include "hub/dimensions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace hub {
namespace {

Config Make(const char* json) { return Config(nlohmann::json::parse(json)); }

TEST(HiddenSize, UnderEachName) {
  for (const char* key : {"hidden_size", "dim", "n_embd", "d_model"}) {
    EXPECT_EQ(*HiddenSize(Config(nlohmann::json{{key, 96}})), 96) << key;
  }
  EXPECT_EQ(*HiddenSize(Config()), std::nullopt);
  EXPECT_FALSE(HiddenSize(Make(R"({"hidden_size": 0})")).ok());
}

TEST(CheckHeads, DivisorsPass) {
  EXPECT_TRUE(CheckHeads(Config()).ok());
  EXPECT_TRUE(CheckHeads(Make(R"({"hidden_size": 32, "num_attention_heads": 4,
                                  "num_key_value_heads": 2})"))
                  .ok());
}

TEST(CheckHeads, HeadsMustDivideTheHiddenSize) {
  EXPECT_EQ(CheckHeads(Make(R"({"hidden_size": 32, "num_attention_heads": 5})")).message(),
            "config.json: num_attention_heads: expected a divisor of hidden_size 32, got 5");
}

TEST(CheckHeads, AHeadSizeOfItsOwnFreesThem) {
  EXPECT_TRUE(
      CheckHeads(Make(R"({"hidden_size": 72, "num_attention_heads": 5, "head_dim": 128})")).ok());
}

TEST(CheckHeads, KeyValueHeadsMustDivideTheHeads) {
  EXPECT_EQ(CheckHeads(Make(R"({"hidden_size": 32, "head_dim": 16, "num_attention_heads": 4,
                                "num_key_value_heads": 3})"))
                .message(),
            "config.json: num_key_value_heads: expected a divisor of num_attention_heads 4, got 3");
}

}  // namespace
}  // namespace hub
