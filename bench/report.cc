#include "bench/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bench {
namespace {

constexpr const char* kTableFormat =
    "{:>7} {:>6} {:>10} {:>8} {:>9} {:>9} {:>9} {:>9} {:>11} {:>11}\n";

struct Rates {
  double inputs_per_s = 0;
  double tokens_per_s = 0;
};

Rates RatesOf(const Row& row) {
  const double inputs = static_cast<double>(row.result.latency.count) * row.loop.workload.batch;
  return {.inputs_per_s = inputs / row.result.wall_s,
          .tokens_per_s = static_cast<double>(row.result.tokens) / row.result.wall_s};
}

const char* InputName(const Row& row) {
  return row.loop.workload.input == InputKind::kIds ? "ids" : "words";
}

std::string Milliseconds(double ms) { return fmt::format("{:.3f}", ms); }

}  // namespace

std::string TableHead() {
  return fmt::format(kTableFormat, "clients", "inputs", "each", "requests", "p50 ms", "p90 ms",
                     "p99 ms", "max ms", "inputs/s", "tokens/s");
}

std::string TableLine(const Row& row) {
  const LatencySummary& latency = row.result.latency;
  const Rates rates = RatesOf(row);
  return fmt::format(kTableFormat, row.loop.connections, row.loop.workload.batch,
                     fmt::format("{} {}", row.loop.workload.length, InputName(row)), latency.count,
                     Milliseconds(latency.p50_ms), Milliseconds(latency.p90_ms),
                     Milliseconds(latency.p99_ms), Milliseconds(latency.max_ms),
                     fmt::format("{:.1f}", rates.inputs_per_s),
                     row.result.tokens > 0 ? fmt::format("{:.0f}", rates.tokens_per_s) : "-");
}

nlohmann::json RowJson(const Row& row) {
  const LatencySummary& latency = row.result.latency;
  const Rates rates = RatesOf(row);
  return {{"connections", row.loop.connections},
          {"input", InputName(row)},
          {"batch", row.loop.workload.batch},
          {"length", row.loop.workload.length},
          {"requests", latency.count},
          {"dimensions", row.result.dimensions},
          {"latency_ms",
           {{"mean", latency.mean_ms},
            {"min", latency.min_ms},
            {"p50", latency.p50_ms},
            {"p90", latency.p90_ms},
            {"p99", latency.p99_ms},
            {"max", latency.max_ms}}},
          {"wall_s", row.result.wall_s},
          {"inputs_per_s", rates.inputs_per_s},
          {"tokens_per_s", rates.tokens_per_s}};
}

}  // namespace bench
