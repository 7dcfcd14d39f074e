#include "bench_beside.h"

#include <chrono>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/beside_suite.h"
#include "bench/http_target.h"
#include "bench/latency.h"
#include "bench/server_info.h"
#include "bench_report.h"

namespace {

/// Requests of a client of bulk before the clock starts.
constexpr int kBulkWarmup = 2;
constexpr std::chrono::milliseconds kInfoTimeout = std::chrono::seconds(10);

/// The suite but for what the server says of itself.
bench::BesideSuite SuiteOf(const BesideBenchOptions& options, bench::Target& target) {
  bench::BesideSuite suite;
  for (bench::ClosedLoop* loop : {&suite.queries, &suite.bulk}) {
    loop->target = &target;
    loop->requests = std::numeric_limits<int64_t>::max();
    loop->duration = bench::FromSeconds(options.seconds);
  }
  suite.queries.workload.length = options.query_length;
  suite.queries.seed = options.seed;
  suite.bulk.workload.batch = options.batch;
  suite.bulk.workload.length = options.length;
  suite.bulk.clients = options.clients;
  suite.bulk.warmup = kBulkWarmup;
  suite.bulk.seed = options.seed + 1;
  return suite;
}

}  // namespace

int RunBesideBench(const BesideBenchOptions& options) {
  absl::StatusOr<bench::Url> url = bench::ParseUrl(options.url);
  if (!url.ok()) return FailBench(url.status(), 2);
  absl::StatusOr<std::ofstream> json = OpenJson(options.json);
  if (!json.ok()) return FailBench(json.status(), 2);
  absl::StatusOr<bench::ServerInfo> server = bench::FetchServerInfo(*url, kInfoTimeout);
  if (!server.ok()) return FailBench(server.status(), 1);
  bench::HttpTarget target(*std::move(url), options.model_name);
  bench::BesideSuite suite = SuiteOf(options, target);
  suite.queries.workload.vocabulary = suite.bulk.workload.vocabulary = server->vocabulary;
  suite.server = *std::move(server);
  const absl::StatusOr<nlohmann::json> report = bench::RunBesideSuite(suite, std::cout);
  if (!report.ok()) return FailBench(report.status(), 1);
  const absl::Status written = WriteJson(*report, *json);
  return written.ok() ? 0 : FailBench(written, 1);
}
