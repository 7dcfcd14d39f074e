#include "common/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace common {
namespace {

using ::testing::HasSubstr;

TEST(ParseJson, ReadsValues) {
  const auto json = ParseJson(R"({"a":[1,2.5,"x"]})", "f.json");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ((*json)["a"][2], "x");
}

TEST(ParseJson, SyntaxErrorNamesFileAndByte) {
  const auto json = ParseJson("{\"a\":}", "f.json");
  EXPECT_THAT(std::string(json.status().message()), HasSubstr("f.json: not JSON, at byte 6"));
}

TEST(ParseJson, DeepNestingIsRefusedWithoutDeepRecursion) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_THAT(std::string(ParseJson(deep, "f.json").status().message()), HasSubstr("nested"));
}

TEST(ParseJson, BracketsInStringsAreNoNesting) {
  std::string json = R"({"[{[{": "\" [{ \\", "k": ")";
  json += std::string(1000, '[');
  json += R"("})";
  EXPECT_TRUE(ParseJson(json, "f.json").ok());
  const auto of_depth = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(of_depth(128), "f.json").ok());
  EXPECT_FALSE(ParseJson(of_depth(129), "f.json").ok());
  std::string list = "[";
  for (int i = 0; i < 1000; ++i) list += "[{}],";
  EXPECT_TRUE(ParseJson(list + "0]", "f.json").ok());
}

TEST(ParseJson, NumberBeyondAllDoublesIsRefused) {
  const auto json = ParseJson("{\"a\":1e999}", "f.json");
  EXPECT_EQ(json.status().message(), "f.json: has a number that no double holds");
}

TEST(ParseJson, InvalidUtf8IsRefused) {
  EXPECT_FALSE(ParseJson("{\"a\":\"\xff\"}", "f.json").ok());
}

}  // namespace
}  // namespace common
