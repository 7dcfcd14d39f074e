#include "bench/latency_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/null_server.h"

namespace bench {
namespace {

using testing::HasSubstr;

LatencySuite SuiteTo(const NullServer& server) {
  return {.loop = {.url = {.host = "127.0.0.1", .port = server.port()}, .requests = 10},
          .lengths = {3, 5},
          .connections = {1, 2}};
}

TEST(RunLatencySuite, RunsEveryLengthWithEveryNumberOfClients) {
  const auto server =
      NullServer::Create([](std::string_view) { return HttpAnswer(200, NullEmbeddings(1, 16)); });
  ASSERT_TRUE(server.ok()) << server.status();
  std::ostringstream table;
  const absl::StatusOr<nlohmann::json> report = RunLatencySuite(SuiteTo(**server), table);
  ASSERT_TRUE(report.ok()) << report.status();

  const nlohmann::json& rows = report->at("rows");
  ASSERT_EQ(rows.size(), 4u);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at("length"), i < 2 ? 3 : 5);
    EXPECT_EQ(rows[i].at("connections"), i % 2 + 1);
    EXPECT_EQ(rows[i].at("requests"), 10);
    EXPECT_EQ(rows[i].at("dimensions"), 16);
  }
  EXPECT_EQ(report->at("null_server").at("length"), 5);
  const std::string text = table.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 4 + 2) << text;
}

TEST(RunLatencySuite, EndsWithTheFirstFailure) {
  const auto server =
      NullServer::Create([](std::string_view) { return HttpAnswer(503, "loading"); });
  ASSERT_TRUE(server.ok()) << server.status();
  std::ostringstream table;
  EXPECT_THAT(std::string(RunLatencySuite(SuiteTo(**server), table).status().message()),
              HasSubstr("status 503: loading"));
}

}  // namespace
}  // namespace bench
