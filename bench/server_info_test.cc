#include "bench/server_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace bench {
namespace {

using testing::HasSubstr;

TEST(ReadServerInfo, TakesTheStepOfTheBudget) {
  const auto info = ReadServerInfo(R"({"model_id": "m", "max_input_length": 512,
      "vocabulary_size": 30522, "engines": 2, "schedule": "fair", "saturation_tokens": 1024,
      "batch_curve": [{"tokens": 512, "step_us": 900}, {"tokens": 1024, "step_us": 1500},
                      {"tokens": 2048, "step_us": 2900}]})");
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->schedule, "fair");
  EXPECT_EQ(info->engines, 2);
  EXPECT_EQ(info->vocabulary, 30'522);
  EXPECT_EQ(info->max_length, 512);
  EXPECT_EQ(info->saturation_tokens, 1024);
  EXPECT_DOUBLE_EQ(info->step_ms, 1.5);
}

TEST(ReadServerInfo, KnowsNoStepWithoutACurve) {
  const auto info = ReadServerInfo(R"({"max_input_length": 512, "vocabulary_size": 30522,
      "engines": 1, "schedule": "fcfs", "saturation_tokens": 1024, "batch_curve": []})");
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->step_ms, 0);
}

TEST(ReadServerInfo, NamesACountOfNone) {
  for (const char* const name : {"engines", "vocabulary_size", "saturation_tokens"}) {
    nlohmann::json info = {{"schedule", "fcfs"},        {"engines", 1},
                           {"vocabulary_size", 100},    {"max_input_length", 512},
                           {"saturation_tokens", 1024}, {"batch_curve", nlohmann::json::array()}};
    EXPECT_TRUE(ReadServerInfo(info.dump()).ok());
    info[name] = 0;
    EXPECT_THAT(std::string(ReadServerInfo(info.dump()).status().message()),
                HasSubstr(std::string(name) + ": 0, expected"));
  }
}

TEST(ReadServerInfo, NamesWhatOtherServersLack) {
  EXPECT_THAT(std::string(ReadServerInfo(R"({"model_id": "m"})").status().message()),
              HasSubstr("schedule"));
  EXPECT_FALSE(ReadServerInfo("<html>").ok());
}

}  // namespace
}  // namespace bench
