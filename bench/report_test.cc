#include "bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace bench {
namespace {

using testing::ElementsAre;

Row TwoSecondsOfPairs() {
  Row row;
  row.loop.workload = {.input = InputKind::kIds, .batch = 2, .length = 128};
  row.loop.connections = 4;
  row.result = {.latency = {.count = 100,
                            .mean_ms = 21,
                            .min_ms = 9,
                            .p50_ms = 20.5,
                            .p90_ms = 30,
                            .p99_ms = 40,
                            .max_ms = 50.25},
                .dimensions = 384,
                .tokens = 25'600,
                .wall_s = 2};
  return row;
}

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(TableLine, ShowsShapeLatenciesAndRates) {
  EXPECT_THAT(Words(TableLine(TwoSecondsOfPairs())),
              ElementsAre("4", "2", "128", "ids", "100", "20.500", "30.000", "40.000", "50.250",
                          "100.0", "12800"));
}

TEST(TableLine, ShowsNoTokensWhereTheServerCountsNone) {
  Row row = TwoSecondsOfPairs();
  row.result.tokens = 0;
  EXPECT_EQ(Words(TableLine(row)).back(), "-");
}

TEST(TableLine, StandsUnderItsHead) {
  const std::string head = TableHead(), line = TableLine(TwoSecondsOfPairs());
  EXPECT_EQ(head.size(), line.size());
  EXPECT_EQ(head.find("max ms") + 6, line.find("50.250") + 6);
}

TEST(RowJson, HoldsEverythingThatTheTableShows) {
  const nlohmann::json row = RowJson(TwoSecondsOfPairs());
  EXPECT_EQ(row.at("connections"), 4);
  EXPECT_EQ(row.at("input"), "ids");
  EXPECT_EQ(row.at("batch"), 2);
  EXPECT_EQ(row.at("length"), 128);
  EXPECT_EQ(row.at("requests"), 100);
  EXPECT_EQ(row.at("dimensions"), 384);
  EXPECT_DOUBLE_EQ(row.at("latency_ms").at("p99"), 40);
  EXPECT_DOUBLE_EQ(row.at("inputs_per_s"), 100);
  EXPECT_DOUBLE_EQ(row.at("tokens_per_s"), 12'800);
}

}  // namespace
}  // namespace bench
