#include "bench/run_open_suite.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "bench/latency.h"
#include "bench/open_loop.h"
#include "bench/suite_report.h"

namespace bench {
namespace {

constexpr double kNullSeconds = 1;
/// Less would measure little in that time, or nothing.
constexpr double kNullRate = 20;

OpenFigures FiguresOf(const OpenLoop& loop, const OpenLoopResult& result) {
  const auto arrivals = static_cast<double>(result.arrivals);
  return {.offered_per_s = arrivals / std::chrono::duration<double>(loop.duration).count(),
          .reached_per_s = arrivals / result.load.wall_s,
          .arrivals = result.arrivals,
          .waited = result.waited,
          .longest_wait_ms = Milliseconds(result.longest_wait)};
}

absl::StatusOr<Row> Measure(const OpenLoop& loop, const Bench& bench) {
  Row row = {.workload = loop.workload, .clients = loop.connections};
  CounterSpan counters(bench.counters);
  ASSIGN_OR_RETURN(const OpenLoopResult result, RunOpenLoop(loop, [&] { counters.Begin(); }));
  row.counters = counters.End();
  row.open = FiguresOf(loop, result);
  row.result = result.load;
  row.roofline_share = RooflineShare(bench.roofline, row.result);
  return row;
}

absl::StatusOr<Row> MeasureNothing(OpenLoop loop, int dimensions) {
  ASSIGN_OR_RETURN(const auto null, loop.target->MakeNull(loop.workload.batch, dimensions));
  loop.target = null.get();
  loop.duration = std::min(loop.duration, FromSeconds(kNullSeconds));
  loop.rate_per_s = std::max(loop.rate_per_s, kNullRate);
  return Measure(loop, Bench{});
}

}  // namespace

absl::StatusOr<nlohmann::json> RunOpenSuite(const OpenSuite& suite, const Bench& bench,
                                            std::ostream& out) {
  OpenLoop loop = {.target = bench.target,
                   .workload = bench.workload,
                   .duration = FromSeconds(suite.seconds),
                   .connections = suite.connections,
                   .seed = bench.seed};
  loop.workload.input = suite.input;
  loop.workload.batch = suite.batch;
  loop.workload.length = suite.length;
  SuiteReport report("open", {.open = true, .roofline = bench.roofline.peak_tflops > 0}, out);
  int dimensions = 0;
  for (const double rate : suite.rates) {
    loop.rate_per_s = rate;
    ASSIGN_OR_RETURN(const Row row, Measure(loop, bench));
    report.Add(row);
    dimensions = row.result.dimensions;
  }
  loop.rate_per_s = *std::max_element(suite.rates.begin(), suite.rates.end());
  ASSIGN_OR_RETURN(const Row nothing, MeasureNothing(loop, dimensions));
  return report.Finish(nothing);
}

}  // namespace bench
