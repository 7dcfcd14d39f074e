#include "hub/pooling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace hub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<Pooling> Read(const char* json, std::optional<int64_t> hidden_size = 32) {
  return ReadPooling(Config(nlohmann::json::parse(json), "1_Pooling/config.json"), hidden_size);
}

std::string Refusal(const char* json) { return std::string(Read(json).status().message()); }

TEST(ReadPooling, EachFlagOfTheOldLayout) {
  const std::pair<const char*, PoolingMode> flags[] = {
      {"pooling_mode_cls_token", PoolingMode::kCls},
      {"pooling_mode_max_tokens", PoolingMode::kMax},
      {"pooling_mode_mean_tokens", PoolingMode::kMean},
      {"pooling_mode_mean_sqrt_len_tokens", PoolingMode::kMeanSqrtLen},
      {"pooling_mode_weightedmean_tokens", PoolingMode::kWeightedMean},
      {"pooling_mode_lasttoken", PoolingMode::kLastToken}};
  for (const auto& [flag, mode] : flags) {
    nlohmann::json json = {{"word_embedding_dimension", 32}, {"pooling_mode_mean_tokens", false}};
    json[flag] = true;
    const absl::StatusOr<Pooling> pooling = Read(json.dump().c_str());
    ASSERT_TRUE(pooling.ok()) << pooling.status();
    EXPECT_THAT(pooling->modes, ElementsAre(mode)) << flag;
    EXPECT_TRUE(pooling->include_prompt);
  }
}

TEST(ReadPooling, SeveralFlagsComeInTheLibrarysOrder) {
  EXPECT_THAT(Read(R"({"pooling_mode_lasttoken": true, "pooling_mode_mean_tokens": true,
                       "pooling_mode_cls_token": true})")
                  ->modes,
              ElementsAre(PoolingMode::kCls, PoolingMode::kMean, PoolingMode::kLastToken));
}

TEST(ReadPooling, WithoutAWordAboutTheMeanItIsTheDefault) {
  EXPECT_THAT(Read(R"({"word_embedding_dimension": 32})")->modes, ElementsAre(PoolingMode::kMean));
  EXPECT_THAT(Read(R"({"pooling_mode_cls_token": false})")->modes, ElementsAre(PoolingMode::kMean));
  EXPECT_THAT(Read(R"({"pooling_mode_cls_token": true})")->modes, ElementsAre(PoolingMode::kCls));
}

TEST(ReadPooling, NamesSinceVersion6) {
  EXPECT_THAT(Read(R"({"embedding_dimension": 32, "pooling_mode": "lasttoken"})")->modes,
              ElementsAre(PoolingMode::kLastToken));
  EXPECT_THAT(
      Read(R"({"pooling_mode": ["weightedmean", "mean_sqrt_len_tokens", "cls"]})")->modes,
      ElementsAre(PoolingMode::kWeightedMean, PoolingMode::kMeanSqrtLen, PoolingMode::kCls));
}

TEST(ReadPooling, IncludePrompt) {
  EXPECT_FALSE(Read(R"({"pooling_mode": "mean", "include_prompt": false})")->include_prompt);
}

TEST(ReadPooling, RefusalsNameFileAndKey) {
  EXPECT_EQ(Refusal(R"({"pooling_mode_mean_tokens": false})"),
            "1_Pooling/config.json: pooling_mode_…: expected at least one mode");
  EXPECT_EQ(Refusal(R"({"pooling_mode": []})"),
            "1_Pooling/config.json: pooling_mode: expected at least one mode");
  EXPECT_EQ(Refusal(R"({"pooling_mode": "median"})"),
            "1_Pooling/config.json: pooling_mode: unknown mode \"median\"");
  EXPECT_THAT(Refusal(R"({"pooling_mode": 3})"), HasSubstr("pooling_mode: expected a list"));
  EXPECT_THAT(Refusal(R"({"pooling_mode_cls_token": 1})"),
              HasSubstr("pooling_mode_cls_token: expected true or false"));
  EXPECT_EQ(Refusal(R"({"word_embedding_dimension": 48})"),
            "1_Pooling/config.json: word_embedding_dimension: expected the model's hidden size 32, "
            "got 48");
  EXPECT_THAT(Refusal(R"({"embedding_dimension": 48, "pooling_mode": "cls"})"),
              HasSubstr("embedding_dimension"));
}

TEST(ReadPooling, UnknownHiddenSizeIsNotCompared) {
  EXPECT_TRUE(Read(R"({"word_embedding_dimension": 48})", std::nullopt).ok());
}

TEST(PoolingModeName, RoundTrips) {
  for (PoolingMode mode :
       {PoolingMode::kCls, PoolingMode::kMax, PoolingMode::kMean, PoolingMode::kMeanSqrtLen,
        PoolingMode::kWeightedMean, PoolingMode::kLastToken}) {
    EXPECT_EQ(*ParsePoolingMode(PoolingModeName(mode)), mode);
  }
  EXPECT_EQ(*ParsePoolingMode("last-token"), PoolingMode::kLastToken);
  EXPECT_THAT(std::string(ParsePoolingMode("median").status().message()),
              HasSubstr("unknown mode \"median\", expected one of cls, max, mean"));
}

}  // namespace
}  // namespace hub
