#include "bench_suites.h"

#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <utility>

#include "bench/run_open_suite.h"
#include "bench/run_suites.h"
#include "bench_report.h"

namespace {

/// Runs on what is prepared; returns "suites" of the report.
using RunSuitesOf = std::function<absl::StatusOr<nlohmann::json>(const BenchLoad& load)>;

absl::StatusOr<nlohmann::json> Measure(BenchLoad& load, const RunSuitesOf& run) {
  RETURN_IF_ERROR(load.CheckReference(std::cout));
  ASSIGN_OR_RETURN(nlohmann::json suites, run(load));
  nlohmann::json report = load.report();
  report["suites"] = std::move(suites);
  return report;
}

int RunLoad(const BenchLoadOptions& options, const RunSuitesOf& run) {
  absl::StatusOr<std::ofstream> json = OpenJson(options.json);
  if (!json.ok()) return FailBench(json.status(), 2);
  const absl::StatusOr<std::unique_ptr<BenchLoad>> load = BenchLoad::Prepare(options);
  if (!load.ok()) return FailBench(load.status(), absl::IsUnavailable(load.status()) ? 1 : 2);
  const absl::StatusOr<nlohmann::json> report = Measure(**load, run);
  if (!report.ok()) return FailBench(report.status(), 1);
  const absl::Status written = WriteJson(*report, *json);
  return written.ok() ? 0 : FailBench(written, 1);
}

bench::InputKind Sendable(bench::InputKind input, const BenchLoad& load) {
  return load.takes_text() ? input : bench::InputKind::kIds;
}

}  // namespace

int RunBench(const BenchOptions& options) {
  if (options.suites.empty()) {
    return FailBench(absl::InvalidArgumentError("--longest: every row is of longer inputs"), 2);
  }
  for (const bench::Suite& suite : options.suites) {
    if (suite.requests > 0 || suite.seconds > 0) continue;
    return FailBench(
        absl::InvalidArgumentError("--requests and --seconds: expected one of them above 0"), 2);
  }
  return RunLoad(options.load, [&](const BenchLoad& load) {
    std::vector<bench::Suite> suites = options.suites;
    for (bench::Suite& suite : suites) suite.input = Sendable(suite.input, load);
    return bench::RunSuites(suites, load.bench(), std::cout);
  });
}

int RunOpenBench(const OpenBenchOptions& options) {
  return RunLoad(options.load, [&](const BenchLoad& load) -> absl::StatusOr<nlohmann::json> {
    bench::OpenSuite suite = options.suite;
    suite.input = Sendable(suite.input, load);
    ASSIGN_OR_RETURN(nlohmann::json report, bench::RunOpenSuite(suite, load.bench(), std::cout));
    return nlohmann::json::array({std::move(report)});
  });
}
