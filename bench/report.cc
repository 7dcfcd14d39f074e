#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace bench {
namespace {

struct Rates {
  double embeddings_per_s = 0;
  double tokens_per_s = 0;
};

Rates RatesOf(const Row& row) {
  const double inputs = static_cast<double>(row.result.latency.count) * row.workload.batch;
  return {.embeddings_per_s = inputs / row.result.wall_s,
          .tokens_per_s = static_cast<double>(row.result.tokens) / row.result.wall_s};
}

/// What a length counts.
const char* InputName(const Workload& workload) {
  if (workload.input == InputKind::kIds) return "ids";
  return workload.tokenizer == nullptr ? "words" : "text";
}

int LengthOf(const Workload& workload) {
  if (workload.lengths == nullptr) return workload.length;
  return static_cast<int>(std::lround(workload.lengths->mean()));
}

std::string Percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", *share * 100) : "-";
}

nlohmann::json CountersJson(const Counters& counters, double wall_s) {
  const auto whole = [](double count) { return static_cast<int64_t>(count); };
  nlohmann::json json = {{"engines", whole(counters.engines)},
                         {"steps", whole(counters.steps)},
                         {"graph_replays", whole(counters.graph_replays)},
                         {"graph_captures", whole(counters.graph_captures)},
                         {"eager_steps", whole(counters.eager_steps)}};
  if (const auto fill = counters.batch_fill()) json["batch_fill"] = *fill;
  if (const auto busy = counters.busy_share(wall_s)) json["busy_share"] = *busy;
  return json;
}

nlohmann::json OpenJson(const OpenFigures& open) {
  return {{"offered_per_s", open.offered_per_s},
          {"reached_per_s", open.reached_per_s},
          {"arrivals", open.arrivals},
          {"waited", open.waited},
          {"longest_wait_ms", open.longest_wait_ms}};
}

}  // namespace

std::string ShapeName(const Workload& workload) {
  return fmt::format("{} × {}{} {}", workload.batch, workload.lengths != nullptr ? "~" : "",
                     LengthOf(workload), InputName(workload));
}

std::string TableHead(Columns columns) {
  std::string names = "| clients | inputs |", rule = "| --- | --- |";
  const auto add = [&](std::string_view more) {
    names += more;
    for (auto bars = std::count(more.begin(), more.end(), '|'); bars > 0; --bars) rule += " --- |";
  };
  if (columns.open) add(" offered/s | reached/s | waited | longest wait ms |");
  add(" requests | p50 ms | p90 ms | p99 ms | max ms | emb/s | tokens/s |");
  if (columns.roofline) add(" roofline |");
  return names + "\n" + rule + "\n";
}

std::string TableLine(const Row& row, Columns columns) {
  const LatencySummary& latency = row.result.latency;
  const Rates rates = RatesOf(row);
  std::string line = fmt::format("| {} | {} |", row.clients, ShapeName(row.workload));
  if (columns.open) {
    const OpenFigures open = row.open.value_or(OpenFigures());
    line += fmt::format(" {:.1f} | {:.1f} | {} | {:.3f} |", open.offered_per_s, open.reached_per_s,
                        open.waited, open.longest_wait_ms);
  }
  line += fmt::format(" {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.1f} | {} |", latency.count,
                      latency.p50_ms, latency.p90_ms, latency.p99_ms, latency.max_ms,
                      rates.embeddings_per_s,
                      row.result.tokens > 0 ? fmt::format("{:.0f}", rates.tokens_per_s) : "-");
  if (columns.roofline) line += fmt::format(" {} |", Percent(row.roofline_share));
  return line + "\n";
}

std::string CounterTableHead() {
  return "| clients | inputs | steps | graph replays | captures | eager | batch fill | busy |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
}

std::string CounterTableLine(const Row& row) {
  if (!row.counters) return {};
  const Counters& counters = *row.counters;
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", row.clients,
                     ShapeName(row.workload), counters.steps, counters.graph_replays,
                     counters.graph_captures, counters.eager_steps, Percent(counters.batch_fill()),
                     Percent(counters.busy_share(row.result.wall_s)));
}

nlohmann::json RowJson(const Row& row) {
  const LatencySummary& latency = row.result.latency;
  const Rates rates = RatesOf(row);
  nlohmann::json json = {{"input", InputName(row.workload)},
                         {"batch", row.workload.batch},
                         {"length", LengthOf(row.workload)},
                         {"clients", row.clients},
                         {"requests", latency.count},
                         {"dimensions", row.result.dimensions},
                         {"wall_s", row.result.wall_s},
                         {"latency_ms",
                          {{"mean", latency.mean_ms},
                           {"min", latency.min_ms},
                           {"p50", latency.p50_ms},
                           {"p90", latency.p90_ms},
                           {"p99", latency.p99_ms},
                           {"max", latency.max_ms}}},
                         {"embeddings_per_s", rates.embeddings_per_s}};
  if (row.result.tokens > 0) json["tokens_per_s"] = rates.tokens_per_s;
  if (row.roofline_share) json["roofline_share"] = *row.roofline_share;
  if (row.counters) json["counters"] = CountersJson(*row.counters, row.result.wall_s);
  if (row.open) json["open"] = OpenJson(*row.open);
  return json;
}

}  // namespace bench
