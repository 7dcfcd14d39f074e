#include "bench.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/beside_suite.h"
#include "bench/latency_suite.h"
#include "bench/server_info.h"
#include "bench/tokenizer_scaling.h"
#include "common/status.h"
#include "stack.h"

namespace {

constexpr char kLocalUrl[] = "http://127.0.0.1:{}";
/// Requests of a client of bulk before the clock starts.
constexpr int kBulkWarmup = 2;

absl::Status CheckPositive(const BenchOptions& options) {
  std::vector<std::pair<const char*, int64_t>> values = {{"--batch", options.batch},
                                                         {"--vocabulary", options.vocabulary},
                                                         {"--requests", options.requests},
                                                         {"--warmup", options.warmup}};
  for (const int length : options.lengths) values.emplace_back("--lengths", length);
  for (const int clients : options.connections) values.emplace_back("--connections", clients);
  for (const auto& [flag, value] : values) {
    if (value < 1) {
      return absl::InvalidArgumentError(fmt::format("{} {}: expected at least 1", flag, value));
    }
  }
  return absl::OkStatus();
}

/// The suite but for its URL.
absl::StatusOr<bench::LatencySuite> ReadOptions(const BenchOptions& options) {
  if (options.url.empty() == options.serve.models.model.empty()) {
    return absl::InvalidArgumentError("expected --url of a running server or --model, one of them");
  }
  if (options.input != "ids" && options.input != "text") {
    return absl::InvalidArgumentError(
        fmt::format("--input {}: expected ids or text", options.input));
  }
  RETURN_IF_ERROR(CheckPositive(options));
  bench::LatencySuite suite;
  suite.lengths = options.lengths;
  suite.connections = options.connections;
  bench::Workload& workload = suite.loop.workload;
  workload.input = options.input == "ids" ? bench::InputKind::kIds : bench::InputKind::kText;
  workload.batch = options.batch;
  workload.vocabulary = options.vocabulary;
  workload.model = options.model_name;
  suite.loop.requests = options.requests;
  suite.loop.warmup = options.warmup;
  suite.loop.seed = options.seed;
  return suite;
}

/// The suite but for what the server says of itself.
absl::StatusOr<bench::BesideSuite> ReadOptions(const BesideBenchOptions& options) {
  bench::BesideSuite suite;
  ASSIGN_OR_RETURN(const bench::Url url, bench::ParseUrl(options.url));
  for (bench::ClosedLoop* loop : {&suite.queries, &suite.bulk}) {
    loop->url = url;
    loop->workload.model = options.model_name;
    loop->requests = std::numeric_limits<int64_t>::max();
    loop->duration = std::chrono::duration_cast<common::Duration>(
        std::chrono::duration<double>(options.seconds));
  }
  suite.queries.workload.length = options.query_length;
  suite.queries.seed = options.seed;
  suite.bulk.workload.batch = options.batch;
  suite.bulk.workload.length = options.length;
  suite.bulk.connections = options.clients;
  suite.bulk.warmup = kBulkWarmup;
  suite.bulk.seed = options.seed + 1;
  return suite;
}

ServeOptions OnAnyPort(ServeOptions serve) {
  serve.gateway.server.host = "127.0.0.1";
  serve.gateway.server.port = 0;
  return serve;
}

/// Where the report goes as JSON; closed if it goes nowhere.
absl::StatusOr<std::ofstream> OpenJson(const std::string& file) {
  std::ofstream json;
  if (!file.empty()) json.open(file);
  if (!json) return absl::NotFoundError(file + ": cannot be written");
  return json;
}

int Fail(const absl::Status& status, int exit_status) {
  fmt::print(stderr, "parterre: bench: {}\n", std::string(status.message()));
  return exit_status;
}

}  // namespace

int RunBench(const BenchOptions& options) {
  absl::StatusOr<bench::LatencySuite> suite = ReadOptions(options);
  if (!suite.ok()) return Fail(suite.status(), 2);
  absl::StatusOr<std::ofstream> json = OpenJson(options.json);
  if (!json.ok()) return Fail(json.status(), 2);

  std::unique_ptr<Stack> stack;
  std::string address = options.url;
  if (address.empty()) {
    if (absl::Status log = SetUpLog(options.serve.log); !log.ok()) return Fail(log, 2);
    absl::StatusOr<std::unique_ptr<Stack>> started = Stack::Load(OnAnyPort(options.serve));
    if (!started.ok()) return Fail(started.status(), 2);
    stack = *std::move(started);
    if (absl::Status listening = stack->Listen(); !listening.ok()) return Fail(listening, 2);
    address = fmt::format(kLocalUrl, stack->port());
  }
  absl::StatusOr<bench::Url> url = bench::ParseUrl(address);
  if (!url.ok()) return Fail(url.status(), 2);
  suite->loop.url = *std::move(url);

  const absl::StatusOr<nlohmann::json> report = bench::RunLatencySuite(*suite, std::cout);
  if (!report.ok()) return Fail(report.status(), 1);
  if (json->is_open()) *json << report->dump(1) << '\n';
  return 0;
}

int RunBesideBench(const BesideBenchOptions& options) {
  absl::StatusOr<bench::BesideSuite> suite = ReadOptions(options);
  if (!suite.ok()) return Fail(suite.status(), 2);
  absl::StatusOr<std::ofstream> json = OpenJson(options.json);
  if (!json.ok()) return Fail(json.status(), 2);
  absl::StatusOr<bench::ServerInfo> server =
      bench::FetchServerInfo(suite->queries.url, suite->queries.timeout);
  if (!server.ok()) return Fail(server.status(), 1);
  suite->queries.workload.vocabulary = suite->bulk.workload.vocabulary = server->vocabulary;
  suite->server = *std::move(server);
  const absl::StatusOr<nlohmann::json> report = bench::RunBesideSuite(*suite, std::cout);
  if (!report.ok()) return Fail(report.status(), 1);
  if (json->is_open()) *json << report->dump(1) << '\n';
  return 0;
}

int RunTokenizerBench(const TokenizerBenchOptions& options) {
  const bench::TokenizerSuite& suite = options.suite;
  absl::StatusOr<nlohmann::json> report = bench::RunTokenizerSuite(suite);
  if (!report.ok()) return Fail(report.status(), 2);
  if (options.threads != 1) {
    const absl::StatusOr<nlohmann::json> scaling = bench::RunTokenizerScaling(
        {.tokenizer = suite.tokenizer, .texts = suite.texts, .threads = options.threads});
    if (!scaling.ok()) return Fail(scaling.status(), 2);
    report->update(*scaling);
  }
  fmt::print("{}\n", report->dump());
  return 0;
}
