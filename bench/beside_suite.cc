#include "bench/beside_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/report.h"

namespace bench {
namespace {

/// Of what bulk comes to without queries.
constexpr double kFallAllowed = 0.05;

double TokensPerSecond(const LoadResult& result) {
  return static_cast<double>(result.tokens) / result.wall_s;
}

double FallOf(const BesideResult& result) {
  return 1 - TokensPerSecond(result.bulk_beside) / TokensPerSecond(result.bulk_alone);
}

std::string QueryLine(const char* name, const LatencySummary& latency, double step_ms) {
  return fmt::format("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.1f} | {:.1f} | {:.1f} |\n", name,
                     latency.count, latency.p50_ms, latency.p99_ms, latency.max_ms,
                     latency.p50_ms / step_ms, latency.p99_ms / step_ms, latency.max_ms / step_ms);
}

std::string BulkLine(const char* name, const LoadResult& result) {
  return fmt::format("| {} | {} | {:.1f} | {:.0f} | {:.0f} |\n", name, result.latency.count,
                     result.latency.p50_ms, result.latency.p99_ms, TokensPerSecond(result));
}

std::string StepsVerdict(const BesideSuite& suite, double steps) {
  const std::optional<double> allowed = StepsAllowed(suite);
  if (!allowed) return "no verdict, which is for 4 clients of bulk";
  return fmt::format("at most {:.0f}: {}", *allowed, steps <= *allowed ? "yes" : "NO");
}

std::string Verdict(const BesideSuite& suite, const BesideResult& result, double step_ms) {
  const double steps = result.queries_beside.latency.p99_ms / step_ms;
  const double fall = FallOf(result);
  const std::string curve =
      suite.server.step_ms > 0
          ? fmt::format(" (of inputs of ordinary lengths: {:.2f} ms)", suite.server.step_ms)
          : "";
  return fmt::format(
      "Batch budget: {} tokens; a step of bulk: {:.2f} ms{}. Schedule {}, engines: {}.\n"
      "Queries beside bulk, p99: {:.1f} steps ({}). "
      "Bulk falls by {:.1f} % (less than {:.0f} %: {}).\n",
      suite.server.saturation_tokens, step_ms, curve, suite.server.schedule, suite.server.engines,
      steps, StepsVerdict(suite, steps), fall * 100, kFallAllowed * 100,
      fall < kFallAllowed ? "yes" : "NO");
}

nlohmann::json PhaseJson(const ClosedLoop& loop, const LoadResult& result) {
  return RowJson({.workload = loop.workload, .clients = loop.clients, .result = result});
}

absl::StatusOr<LoadResult> RunCounted(const ClosedLoop& loop) {
  ASSIGN_OR_RETURN(LoadResult result, RunClosedLoop(loop));
  if (result.tokens > 0) return result;
  return absl::FailedPreconditionError("the server does not count tokens (usage.prompt_tokens)");
}

}  // namespace

double StepMs(const BesideSuite& suite, const LoadResult& bulk_alone) {
  const int64_t length = suite.bulk.workload.length;
  const int64_t inputs = std::max<int64_t>(suite.server.saturation_tokens / length, 1);
  return static_cast<double>(inputs * length * suite.server.engines) / TokensPerSecond(bulk_alone) *
         1e3;
}

std::optional<double> StepsAllowed(const BesideSuite& suite) {
  if (suite.bulk.clients != 4) return std::nullopt;
  return suite.server.schedule == "fair" ? 4 : 10;
}

std::string BesideReport(const BesideSuite& suite, const BesideResult& result) {
  const double step_ms = StepMs(suite, result.bulk_alone);
  const Workload& queries = suite.queries.workload;
  const Workload& bulk = suite.bulk.workload;
  std::string report = fmt::format(
      "| {} × {} tokens, {} client | requests | p50 ms | p99 ms | max ms | p50 steps | p99 steps | "
      "max steps |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
      queries.batch, queries.length, suite.queries.clients);
  report += QueryLine("alone", result.queries_alone.latency, step_ms);
  report += QueryLine("beside bulk", result.queries_beside.latency, step_ms);
  report += fmt::format(
      "\n| {} × {} tokens, {} clients | requests | p50 ms | p99 ms | tokens/s |\n"
      "| --- | --- | --- | --- | --- |\n",
      bulk.batch, bulk.length, suite.bulk.clients);
  report += BulkLine("alone", result.bulk_alone);
  report += BulkLine("beside queries", result.bulk_beside);
  return report + "\n" + Verdict(suite, result, step_ms);
}

absl::StatusOr<nlohmann::json> RunBesideSuite(const BesideSuite& suite, std::ostream& out) {
  BesideResult result;
  ASSIGN_OR_RETURN(result.queries_alone, RunClosedLoop(suite.queries));
  ASSIGN_OR_RETURN(result.bulk_alone, RunCounted(suite.bulk));
  const std::array both = {suite.queries, suite.bulk};
  ASSIGN_OR_RETURN(const std::vector<LoadResult> beside, RunClosedLoops(both));
  result.queries_beside = beside[0];
  result.bulk_beside = beside[1];
  out << BesideReport(suite, result) << std::flush;
  return nlohmann::json{
      {"schedule", suite.server.schedule},
      {"engines", suite.server.engines},
      {"saturation_tokens", suite.server.saturation_tokens},
      {"step_ms", StepMs(suite, result.bulk_alone)},
      {"queries_alone", PhaseJson(suite.queries, result.queries_alone)},
      {"queries_beside", PhaseJson(suite.queries, result.queries_beside)},
      {"bulk_alone", PhaseJson(suite.bulk, result.bulk_alone)},
      {"bulk_beside", PhaseJson(suite.bulk, result.bulk_beside)},
      {"bulk_fall", FallOf(result)},
  };
}

}  // namespace bench
