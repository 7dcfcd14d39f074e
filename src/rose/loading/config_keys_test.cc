#include "rose/loading/config_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "rose/loading/rope.h"

namespace rose {
namespace {

hub::Config Parse(const char* json) { return hub::Config(nlohmann::json::parse(json)); }

template <typename T>
std::string Refusal(const absl::StatusOr<T>& value) {
  return std::string(value.status().message());
}

TEST(ReadAttention, HeadsShareTheHiddenSize) {
  const auto plain = ReadAttention(Parse(R"({"num_attention_heads": 3})"), 96);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->heads, 3);
  EXPECT_EQ(plain->kv_heads, 3);
  EXPECT_EQ(plain->head_dim, 32);
  EXPECT_TRUE(
      ReadAttention(Parse(R"({"n": 3, "num_key_value_heads": 3, "head_dim": 32})"), 96, "n").ok());
  for (const char* other : {"16", "64"}) {
    const std::string json =
        std::string(R"({"num_attention_heads": 3, "head_dim": )") + other + "}";
    EXPECT_EQ(Refusal(ReadAttention(Parse(json.c_str()), 96)),
              "config.json: head_dim: expected 32, as 3 heads share hidden size 96");
  }
  EXPECT_EQ(
      Refusal(ReadAttention(Parse(R"({"num_attention_heads": 4, "num_key_value_heads": 2})"), 96)),
      "config.json: num_key_value_heads: expected 4, one for each head, got 2");
}

TEST(ReadGroupedAttention, HeadsMayShareKeysAndHaveASizeOfTheirOwn) {
  const auto grouped = ReadGroupedAttention(
      Parse(R"({"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 128})"), 96);
  ASSERT_TRUE(grouped.ok()) << grouped.status();
  EXPECT_EQ(grouped->kv_heads, 2);
  EXPECT_EQ(grouped->head_dim, 128);
}

TEST(ReadEpsilon, IsPositiveAndSmall) {
  EXPECT_EQ(*ReadEpsilon(Parse(R"({"eps": 1e-12})"), "eps", 1), 1e-12F);
  EXPECT_EQ(*ReadEpsilon(Parse("{}"), "eps", 1e-5F), 1e-5F);
  for (const char* json : {R"({"eps": -1e-12})", R"({"eps": 0})", R"({"eps": 1e-300})",
                           R"({"eps": 1.5})", R"({"eps": 1e300})"}) {
    EXPECT_THAT(Refusal(ReadEpsilon(Parse(json), "eps", 1)),
                ::testing::StartsWith("config.json: eps: expected more than 0 and at most 1, got "))
        << json;
  }
}

TEST(ReadTheta, IsMoreThanOne) {
  EXPECT_EQ(*ReadTheta(Parse(R"({"theta": 1.5})"), "theta", 10000), 1.5);
  EXPECT_EQ(*ReadTheta(Parse("{}"), "theta", 10000), 10000);
  for (const char* json : {R"({"theta": 1})", R"({"theta": 0})", R"({"theta": -10000})"}) {
    EXPECT_THAT(Refusal(ReadTheta(Parse(json), "theta", 10000)),
                ::testing::StartsWith("config.json: theta: expected more than 1, got "))
        << json;
  }
}

TEST(ReadRopeObject, RefusesScaledPositionsAndNamesTheirKind) {
  EXPECT_EQ(*ReadRopeObject(Parse(R"({"r": {"rope_type": "default", "rope_theta": 5}})"), "r", 3),
            5);
  EXPECT_EQ(*ReadRopeObject(Parse(R"({"r": {}})"), "r", 3), 3);
  EXPECT_EQ(*ReadRopeObject(Parse("{}"), "r", 3), 3);
  EXPECT_EQ(Refusal(ReadRopeObject(Parse(R"({"r": {"type": "yarn"}})"), "r", 3)),
            R"(config.json: r: type: expected "default", got "yarn")");
  EXPECT_EQ(Refusal(ReadRopeObject(Parse(R"({"r": {"rope_theta": 0.5}})"), "r", 3)),
            "config.json: r: rope_theta: expected more than 1, got 0.5");
}

TEST(ReadRopeTheta, TheObjectWinsAndAnyOfThemIsChecked) {
  EXPECT_EQ(*ReadRopeTheta(Parse(R"({"rope_theta": 5, "rope_parameters": {"rope_theta": 7}})"), 3),
            7);
  EXPECT_EQ(Refusal(ReadRopeTheta(Parse(R"({"rope_scaling": {"rope_type": "linear"}})"), 3)),
            R"(config.json: rope_scaling: rope_type: expected "default", got "linear")");
}

}  // namespace
}  // namespace rose
