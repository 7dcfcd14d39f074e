#include "bench/run_suites.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/closed_loop.h"
#include "bench/latency.h"
#include "bench/suite_report.h"

namespace bench {
namespace {

using std::chrono::seconds;

constexpr int64_t kNullRequests = 1000;
constexpr common::Duration kNullDuration = seconds(1);

/// Of any limit so much that a request is begun in it; 0: there is none.
common::Duration LimitOf(double limit_s) {
  if (limit_s <= 0) return common::Duration::max();
  return std::max(FromSeconds(limit_s), common::Duration(1));
}

std::vector<ClosedLoop> CellsOf(const Suite& suite, const Bench& bench) {
  std::vector<ClosedLoop> cells;
  ClosedLoop cell = {
      .target = bench.target,
      .workload = bench.workload,
      .requests = suite.requests > 0 ? suite.requests : std::numeric_limits<int64_t>::max(),
      .duration = LimitOf(suite.seconds),
      .warmup = suite.warmup,
      .seed = bench.seed};
  cell.workload.input = suite.input;
  // A distribution of lengths takes the place of all of them.
  const size_t lengths = bench.workload.lengths ? 1 : suite.lengths.size();
  for (const int batch : suite.batches) {
    for (size_t i = 0; i < lengths; ++i) {
      for (const int clients : suite.clients) {
        cell.workload.batch = batch;
        cell.workload.length = suite.lengths[i];
        cell.clients = clients;
        cells.push_back(cell);
      }
    }
  }
  return cells;
}

const ClosedLoop& Heaviest(const std::vector<ClosedLoop>& cells) {
  const auto weight = [](const ClosedLoop& cell) {
    return int64_t{cell.clients} * cell.workload.batch * cell.workload.length;
  };
  return *std::max_element(
      cells.begin(), cells.end(),
      [&](const ClosedLoop& a, const ClosedLoop& b) { return weight(a) < weight(b); });
}

absl::StatusOr<Row> Measure(const ClosedLoop& cell, const Bench& bench) {
  Row row = {.workload = cell.workload, .clients = cell.clients};
  CounterSpan counters(bench.counters);
  ASSIGN_OR_RETURN(row.result, RunClosedLoop(cell, [&] { counters.Begin(); }));
  row.counters = counters.End();
  row.roofline_share = RooflineShare(bench.roofline, row.result);
  return row;
}

absl::StatusOr<Row> MeasureNothing(ClosedLoop cell, int dimensions) {
  ASSIGN_OR_RETURN(const auto null, cell.target->MakeNull(cell.workload.batch, dimensions));
  cell.target = null.get();
  cell.requests = kNullRequests;
  cell.duration = kNullDuration;
  Row row = {.workload = cell.workload, .clients = cell.clients};
  ASSIGN_OR_RETURN(row.result, RunClosedLoop(cell));
  return row;
}

absl::StatusOr<nlohmann::json> RunSuite(const Suite& suite, const Bench& bench, std::ostream& out) {
  const std::vector<ClosedLoop> cells = CellsOf(suite, bench);
  SuiteReport report(suite.name, {.roofline = bench.roofline.peak_tflops > 0}, out);
  int dimensions = 0;
  for (const ClosedLoop& cell : cells) {
    ASSIGN_OR_RETURN(const Row row, Measure(cell, bench));
    report.Add(row);
    dimensions = row.result.dimensions;
  }
  ASSIGN_OR_RETURN(const Row nothing, MeasureNothing(Heaviest(cells), dimensions));
  return report.Finish(nothing);
}

}  // namespace

absl::StatusOr<nlohmann::json> RunSuites(std::span<const Suite> suites, const Bench& bench,
                                         std::ostream& out) {
  nlohmann::json reports = nlohmann::json::array();
  for (const Suite& suite : suites) {
    ASSIGN_OR_RETURN(reports.emplace_back(), RunSuite(suite, bench, out));
  }
  return reports;
}

}  // namespace bench
