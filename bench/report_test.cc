#include "bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bench {
namespace {

Row TwoSecondsOfPairs() {
  Row row = {.workload = {.batch = 2, .length = 128}, .clients = 4};
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

Counters FourSteps() {
  return {.engines = 1,
          .steps = 4,
          .eager_steps = 1,
          .graph_captures = 0,
          .graph_replays = 3,
          .batch_fill_sum = 2,
          .busy_s = 1.5};
}

TEST(TableLine, ShowsShapeLatenciesAndRates) {
  EXPECT_EQ(TableLine(TwoSecondsOfPairs(), {}),
            "| 4 | 2 × 128 ids | 100 | 20.500 | 30.000 | 40.000 | 50.250 | 100.0 | 12800 |\n");
}

TEST(TableLine, ShowsNoTokensWhereTheServerCountsNone) {
  Row row = TwoSecondsOfPairs();
  row.result.tokens = 0;
  EXPECT_TRUE(TableLine(row, {}).ends_with("| 100.0 | - |\n"));
}

TEST(TableLine, ShowsTheRooflineWhereItIsAskedFor) {
  Row row = TwoSecondsOfPairs();
  EXPECT_TRUE(TableLine(row, {.roofline = true}).ends_with("| 12800 | - |\n"));
  row.roofline_share = 0.415;
  EXPECT_TRUE(TableLine(row, {.roofline = true}).ends_with("| 12800 | 41.5 % |\n"));
}

TEST(TableLine, ShowsHowArrivalsWereMet) {
  Row row = TwoSecondsOfPairs();
  row.open = {.offered_per_s = 60, .reached_per_s = 50, .waited = 7, .longest_wait_ms = 12.5};
  EXPECT_TRUE(TableLine(row, {.open = true})
                  .starts_with("| 4 | 2 × 128 ids | 60.0 | 50.0 | 7 | 12.500 | 100 | 20.500 |"));
}

TEST(TableHead, HasAsManyColumnsAsALine) {
  for (const Columns columns : {Columns{}, Columns{.open = true, .roofline = true}}) {
    const std::string head = TableHead(columns), line = TableLine(TwoSecondsOfPairs(), columns);
    EXPECT_EQ(std::count(head.begin(), head.end(), '|'),
              2 * std::count(line.begin(), line.end(), '|'));
  }
  Row row = TwoSecondsOfPairs();
  row.counters = FourSteps();
  const std::string head = CounterTableHead(), line = CounterTableLine(row);
  EXPECT_EQ(std::count(head.begin(), head.end(), '|'),
            2 * std::count(line.begin(), line.end(), '|'));
}

TEST(CounterTableLine, ShowsWhatTheWorkersCounted) {
  Row row = TwoSecondsOfPairs();
  EXPECT_EQ(CounterTableLine(row), "");
  row.counters = FourSteps();
  EXPECT_EQ(CounterTableLine(row), "| 4 | 2 × 128 ids | 4 | 3 | 0 | 1 | 50.0 % | 75.0 % |\n");
  row.counters->busy_s.reset();
  EXPECT_TRUE(CounterTableLine(row).ends_with("| 50.0 % | - |\n"));
}

TEST(ShapeName, SaysWhatALengthCounts) {
  Workload workload = {.input = InputKind::kText, .batch = 1, .length = 7};
  EXPECT_EQ(ShapeName(workload), "1 × 7 words");
  const auto lengths = LengthDistribution::Parse("10 1\n20 1\n");
  ASSERT_TRUE(lengths.ok());
  workload.lengths = &*lengths;
  EXPECT_EQ(ShapeName(workload), "1 × ~15 words");
}

TEST(RowJson, HoldsEverythingThatTheTablesShow) {
  Row row = TwoSecondsOfPairs();
  row.roofline_share = 0.25;
  row.counters = FourSteps();
  row.open = {.offered_per_s = 60,
              .reached_per_s = 50,
              .arrivals = 100,
              .waited = 7,
              .longest_wait_ms = 12.5};
  EXPECT_EQ(RowJson(row), nlohmann::json::parse(R"({
    "input": "ids", "batch": 2, "length": 128, "clients": 4,
    "requests": 100, "dimensions": 384, "wall_s": 2.0,
    "latency_ms": {"mean": 21.0, "min": 9.0, "p50": 20.5, "p90": 30.0, "p99": 40.0, "max": 50.25},
    "embeddings_per_s": 100.0, "tokens_per_s": 12800.0, "roofline_share": 0.25,
    "counters": {"engines": 1.0, "steps": 4.0, "graph_replays": 3.0, "graph_captures": 0.0,
                 "eager_steps": 1.0, "batch_fill": 0.5, "busy_share": 0.75},
    "open": {"offered_per_s": 60.0, "reached_per_s": 50.0, "arrivals": 100, "waited": 7,
             "longest_wait_ms": 12.5}})"));
}

TEST(RowJson, LeavesOutWhatIsNotKnown) {
  Row row = TwoSecondsOfPairs();
  row.result.tokens = 0;
  const nlohmann::json json = RowJson(row);
  for (const char* key : {"tokens_per_s", "roofline_share", "counters", "open"}) {
    EXPECT_FALSE(json.contains(key)) << key;
  }
}

}  // namespace
}  // namespace bench
