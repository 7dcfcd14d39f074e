#include "hub/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace hub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Config Make(const char* json) { return Config(nlohmann::json::parse(json)); }

template <typename T>
std::string Message(const absl::StatusOr<T>& result) {
  return result.ok() ? "no error" : std::string(result.status().message());
}

TEST(Config, ReadsEachType) {
  const Config config = Make(R"({"i": 7, "f": 1e-12, "whole": 3, "b": true, "s": "gelu",
                                 "list": ["a", "b"], "map": {"q": "query: "}})");
  EXPECT_EQ(*config.Int("i"), 7);
  EXPECT_EQ(*config.Float("f"), 1e-12);
  EXPECT_EQ(*config.Float("whole"), 3.0);
  EXPECT_TRUE(*config.Bool("b", false));
  EXPECT_EQ(*config.String("s"), "gelu");
  EXPECT_THAT(*config.Strings("list"), ElementsAre("a", "b"));
  EXPECT_THAT(*config.StringMap("map"), ElementsAre(Pair("q", "query: ")));
}

TEST(Config, NullIsAbsent) {
  const Config config = Make(R"({"n": null})");
  EXPECT_FALSE(config.Has("n"));
  EXPECT_EQ(*config.Int("n", 5), 5);
  EXPECT_EQ(Message(config.Int("n")),
            "config.json: n: missing, expected an integer of 1 … 2147483647");
}

TEST(Config, AbsentTakesTheFallbackOfTheCall) {
  const Config config;
  EXPECT_EQ(*config.Int("k", 0), 0);
  EXPECT_EQ(*config.Float("k", 0.5), 0.5);
  EXPECT_TRUE(*config.Bool("k", true));
  EXPECT_EQ(*config.String("k", "gelu"), "gelu");
  EXPECT_THAT(*config.Strings("k"), IsEmpty());
  EXPECT_THAT(*config.StringMap("k"), IsEmpty());
}

TEST(Config, IntegersOutOfRangeAreRefusedByKeyAndValue) {
  const Config config = Make(R"({"zero": 0, "minus": -1, "huge": 2147483648,
                                 "over": 18446744073709551615, "half": 1.5, "big": 1e30})");
  EXPECT_THAT(Message(config.Int("zero")),
              HasSubstr("config.json: zero: expected an integer of 1"));
  EXPECT_EQ(*config.Int("zero", 3), 0);
  EXPECT_THAT(Message(config.Int("minus", 3)), HasSubstr("minus: expected an integer of 0 … "));
  for (const char* key : {"huge", "over", "half", "big"}) {
    EXPECT_THAT(Message(config.Int(key)), HasSubstr(key));
  }
}

TEST(Config, WrongTypesAreRefusedEvenWithAFallback) {
  const Config config = Make(R"({"k": "12", "l": [1], "o": {"a": 1}})");
  EXPECT_EQ(Message(config.Int("k", 1)),
            "config.json: k: expected an integer of 0 … 2147483647, got a string");
  EXPECT_EQ(Message(config.Float("k", 1)), "config.json: k: expected a number, got a string");
  EXPECT_EQ(Message(config.Bool("k", true)),
            "config.json: k: expected true or false, got a string");
  EXPECT_EQ(Message(config.String("l", "")), "config.json: l: expected a string, got a list");
  EXPECT_EQ(Message(config.Strings("l")), "config.json: l[0]: expected a string, got 1");
  EXPECT_EQ(Message(config.StringMap("o")), "config.json: o.a: expected a string, got 1");
}

TEST(Config, NestedObjectsNameBothKeys) {
  const Config config = Make(R"({"text_config": {"hidden_size": []}, "flat": 1})");
  const absl::StatusOr<Config> nested = config.Object("text_config");
  ASSERT_TRUE(nested.ok()) << nested.status();
  EXPECT_THAT(Message(nested->Int("hidden_size")),
              HasSubstr("config.json: text_config: hidden_size: expected an integer"));
  EXPECT_THAT(Message(config.Object("flat")), HasSubstr("flat: expected an object, got 1"));
}

}  // namespace
}  // namespace hub
