#include "bench/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace bench {
namespace {

using nlohmann::json;

TEST(MakeBodies, HoldsIdsOfTheLengthAndRangeAskedFor) {
  const Workload workload = {.batch = 3, .length = 17, .vocabulary = 500, .model = "m"};
  for (const std::string& text : MakeBodies(workload, 4, 1)) {
    const json body = json::parse(text);
    EXPECT_EQ(body.at("model"), "m");
    EXPECT_EQ(body.at("encoding_format"), "base64");
    ASSERT_EQ(body.at("input").size(), 3u);
    for (const json& ids : body.at("input")) {
      ASSERT_EQ(ids.size(), 17u);
      for (const int id : ids) {
        EXPECT_GE(id, 50);
        EXPECT_LT(id, 500);
      }
    }
  }
}

TEST(MakeBodies, HoldsTextsOfTheWordsAskedFor) {
  const Workload workload = {.input = InputKind::kText, .batch = 2, .length = 9};
  const json body = json::parse(MakeBodies(workload, 1, 1).front());
  EXPECT_FALSE(body.contains("model"));
  ASSERT_EQ(body.at("input").size(), 2u);
  for (const std::string text : body.at("input")) {
    EXPECT_EQ(std::count(text.begin(), text.end(), ' '), 8) << text;
  }
}

TEST(MakeBodies, DiffersFromBodyToBodyAndFromSeedToSeedOnly) {
  const Workload workload = {.length = 8};
  const std::vector<std::string> bodies = MakeBodies(workload, 20, 1);
  EXPECT_EQ(std::set<std::string>(bodies.begin(), bodies.end()).size(), 20u);
  EXPECT_EQ(MakeBodies(workload, 20, 1), bodies);
  EXPECT_NE(MakeBodies(workload, 20, 2), bodies);
}

TEST(MakeBodies, IsTheSameOnEveryMachine) {
  // From the recurrence of the 64-bit Mersenne Twister, worked out apart.
  EXPECT_EQ(MakeBodies({.length = 3}, 1, 1).front(),
            R"({"encoding_format":"base64","input":[[29528,15462,27930]]})");
}

TEST(MakeBodies, ServesTheSmallestVocabulary) {
  const json body = json::parse(MakeBodies({.length = 2, .vocabulary = 1}, 1, 1).front());
  EXPECT_EQ(body.at("input"), json::parse("[[0,0]]"));
}

}  // namespace
}  // namespace bench
