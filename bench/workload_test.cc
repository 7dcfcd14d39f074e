#include "bench/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/http_target.h"

namespace bench {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::vector<Request> Make(const Workload& workload, int count, uint64_t seed = 1) {
  absl::StatusOr<std::vector<Request>> requests = MakeRequests(workload, count, seed);
  EXPECT_TRUE(requests.ok()) << requests.status();
  return *std::move(requests);
}

TEST(MakeRequests, HoldsIdsOfTheLengthAndRangeAskedFor) {
  for (const Request& request : Make({.batch = 3, .length = 17, .vocabulary = 500}, 4)) {
    EXPECT_EQ(request.inputs(), 3);
    EXPECT_THAT(request.tokens, ElementsAre(17, 17, 17));
    EXPECT_EQ(request.total_tokens(), 3 * 17);
    for (const std::vector<int32_t>& ids : request.ids) {
      ASSERT_EQ(ids.size(), 17u);
      for (const int id : ids) {
        EXPECT_GE(id, 50);
        EXPECT_LT(id, 500);
      }
    }
  }
}

TEST(MakeRequests, HoldsTextsOfTheWordsAskedFor) {
  const Request request = Make({.input = InputKind::kText, .batch = 2, .length = 9}, 1).front();
  EXPECT_EQ(request.inputs(), 2);
  EXPECT_EQ(request.total_tokens(), 0);  // Nobody has counted them.
  for (const std::string& text : request.texts) {
    EXPECT_EQ(std::count(text.begin(), text.end(), ' '), 8) << text;
  }
}

TEST(MakeRequests, DrawsLengths) {
  const auto lengths = LengthDistribution::Parse("5 1\n9 3\n");
  ASSERT_TRUE(lengths.ok()) << lengths.status();
  int short_ones = 0;
  for (const Request& request : Make({.batch = 2, .lengths = &*lengths}, 200)) {
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(static_cast<size_t>(request.tokens[i]), request.ids[i].size());
      EXPECT_THAT(request.tokens[i], testing::AnyOf(5, 9));
      short_ones += request.tokens[i] == 5;
    }
  }
  EXPECT_NEAR(short_ones, 100, 30);  // The seed is fixed.
}

TEST(MakeRequests, DiffersFromRequestToRequestAndFromSeedToSeedOnly) {
  const auto ids = [](uint64_t seed) {
    std::vector<std::vector<int32_t>> all;
    for (const Request& request : Make({.length = 8}, 20, seed)) all.push_back(request.ids[0]);
    return all;
  };
  const auto first = ids(1);
  EXPECT_EQ(std::set<std::vector<int32_t>>(first.begin(), first.end()).size(), 20u);
  EXPECT_EQ(ids(1), first);
  EXPECT_NE(ids(2), first);
}

TEST(MakeRequests, IsTheSameOnEveryMachine) {
  // From the recurrence of the 64-bit Mersenne Twister, worked out apart.
  EXPECT_EQ(EmbeddingsBody(Make({.length = 3}, 1).front(), ""),
            R"({"encoding_format":"base64","input":[[29528,15462,27930]]})");
}

TEST(MakeRequests, ServesTheSmallestVocabulary) {
  EXPECT_THAT(Make({.length = 2, .vocabulary = 1}, 1).front().ids, ElementsAre(ElementsAre(0, 0)));
}

TEST(EmbeddingsBody, NamesTheModelThatIsAskedFor) {
  const Request request = Make({.input = InputKind::kText, .batch = 2, .length = 2}, 1).front();
  const json body = json::parse(EmbeddingsBody(request, "m"));
  EXPECT_EQ(body.at("model"), "m");
  EXPECT_EQ(body.at("encoding_format"), "base64");
  EXPECT_EQ(body.at("input"), request.texts);
  EXPECT_FALSE(json::parse(EmbeddingsBody(request, "")).contains("model"));
  EXPECT_EQ(json::parse(EmbeddingsBody(request, "\xff")).at("model"), "\uFFFD");
}

}  // namespace
}  // namespace bench
