#include "bench.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/closed_loop.h"
#include "bench/null_server.h"
#include "bench/report.h"
#include "common/status.h"
#include "stack.h"

namespace {

constexpr char kLocalUrl[] = "http://127.0.0.1:{}";
constexpr int64_t kNullRequests = 1000;

/// What all runs of the suite have in common.
absl::StatusOr<bench::ClosedLoop> ReadOptions(const BenchOptions& options) {
  if (options.suite != "latency") {
    return absl::InvalidArgumentError(
        fmt::format("{}: no such suite; expected latency", options.suite));
  }
  if (options.url.empty() == options.serve.model.empty()) {
    return absl::InvalidArgumentError("expected --url of a running server or --model, one of them");
  }
  if (options.input != "ids" && options.input != "text") {
    return absl::InvalidArgumentError(
        fmt::format("--input {}: expected ids or text", options.input));
  }
  bench::ClosedLoop loop;
  loop.workload = {
      .input = options.input == "ids" ? bench::InputKind::kIds : bench::InputKind::kText,
      .batch = options.batch,
      .vocabulary = options.vocabulary,
      .model = options.model_name};
  loop.requests = options.requests;
  loop.warmup = options.warmup;
  loop.seed = options.seed;
  return loop;
}

/// What the load generator itself takes: the same requests, to a server that does nothing.
absl::StatusOr<bench::Row> MeasureNothing(bench::Row row) {
  const std::string answer =
      bench::HttpAnswer(200, bench::NullEmbeddings(row.loop.workload.batch, row.result.dimensions));
  ASSIGN_OR_RETURN(const auto server,
                   bench::NullServer::Create([&answer](std::string_view) { return answer; }));
  ASSIGN_OR_RETURN(row.loop.url, bench::ParseUrl(fmt::format(kLocalUrl, server->port())));
  row.loop.requests = kNullRequests;
  ASSIGN_OR_RETURN(row.result, bench::RunClosedLoop(row.loop));
  return row;
}

/// Runs every length with every number of clients, then the null server, and prints each line when
/// it is known. Returns the JSON report.
absl::StatusOr<nlohmann::json> RunLatency(const BenchOptions& options, bench::ClosedLoop loop) {
  nlohmann::json report = {{"suite", options.suite}, {"seed", options.seed}};
  bench::Row row = {.loop = std::move(loop)};
  fmt::print("{}", bench::TableHead());
  for (const int length : options.lengths) {
    for (const int connections : options.connections) {
      row.loop.workload.length = length;
      row.loop.connections = connections;
      ASSIGN_OR_RETURN(row.result, bench::RunClosedLoop(row.loop));
      fmt::print("{}", bench::TableLine(row));
      std::fflush(stdout);
      report["rows"].push_back(bench::RowJson(row));
    }
  }
  ASSIGN_OR_RETURN(const bench::Row nothing, MeasureNothing(std::move(row)));
  fmt::print("The last line against a server that does nothing:\n{}", bench::TableLine(nothing));
  report["null_server"] = bench::RowJson(nothing);
  return report;
}

ServeOptions OnAnyPort(ServeOptions serve) {
  serve.host = "127.0.0.1";
  serve.port = 0;
  serve.drain_ms = 0;
  return serve;
}

int Fail(const absl::Status& status, int exit_status) {
  fmt::print(stderr, "parterre: bench: {}\n", std::string(status.message()));
  return exit_status;
}

}  // namespace

int RunBench(const BenchOptions& options) {
  absl::StatusOr<bench::ClosedLoop> loop = ReadOptions(options);
  if (!loop.ok()) return Fail(loop.status(), 2);
  std::ofstream json;
  if (!options.json.empty()) json.open(options.json);
  if (!json) return Fail(absl::NotFoundError(options.json + ": cannot be written"), 2);

  std::unique_ptr<Stack> stack;
  std::string address = options.url;
  if (address.empty()) {
    absl::StatusOr<std::unique_ptr<Stack>> started = Stack::Create(OnAnyPort(options.serve));
    if (!started.ok()) return Fail(started.status(), 2);
    stack = *std::move(started);
    address = fmt::format(kLocalUrl, stack->port());
  }
  absl::StatusOr<bench::Url> url = bench::ParseUrl(address);
  if (!url.ok()) return Fail(url.status(), 2);
  loop->url = *std::move(url);

  const absl::StatusOr<nlohmann::json> report = RunLatency(options, *std::move(loop));
  if (!report.ok()) return Fail(report.status(), 1);
  if (json.is_open()) json << report->dump(1) << '\n';
  return 0;
}
