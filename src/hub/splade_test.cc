#include "hub/splade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hub/temp_folder.h"

namespace hub {
namespace {

absl::StatusOr<Splade> Read(const char* json) {
  TempFolder folder;
  folder.Write("1_SpladePooling/config.json", json);
  return ReadSplade(folder.path(), "1_SpladePooling");
}

TEST(ReadSplade, StrategiesAndActivations) {
  EXPECT_EQ(Read("{}")->pooling, Splade::Pooling::kMax);
  EXPECT_FALSE(Read("{}")->log1p_twice);
  const absl::StatusOr<Splade> splade =
      Read(R"({"pooling_strategy": "sum", "activation_function": "log1p_relu"})");
  ASSERT_TRUE(splade.ok()) << splade.status();
  EXPECT_EQ(splade->pooling, Splade::Pooling::kSum);
  EXPECT_TRUE(splade->log1p_twice);
  EXPECT_FALSE(Read(R"({"activation_function": "relu"})")->log1p_twice);
}

TEST(ReadSplade, RefusalsNameFileAndKey) {
  EXPECT_EQ(std::string(Read(R"({"pooling_strategy": "mean"})").status().message()),
            "1_SpladePooling/config.json: pooling_strategy: expected \"max\" or \"sum\", got "
            "\"mean\"");
  EXPECT_EQ(std::string(Read(R"({"activation_function": "gelu"})").status().message()),
            "1_SpladePooling/config.json: activation_function: expected \"relu\" or "
            "\"log1p_relu\", got \"gelu\"");
}

}  // namespace
}  // namespace hub
