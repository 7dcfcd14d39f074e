#include "bench/counters.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "bench/connection.h"

namespace bench {
namespace {

/// A line "NAME{LABELS} VALUE" or "NAME VALUE" of Prometheus' text format.
struct Sample {
  std::string_view name;
  std::string_view labels;
  double value = 0;
};

std::optional<Sample> ReadSample(std::string_view line) {
  if (line.empty() || line.starts_with('#')) return std::nullopt;
  const size_t space = line.rfind(' ');
  Sample sample;
  if (space == std::string_view::npos) return std::nullopt;
  const char* const end = line.data() + line.size();
  if (std::from_chars(line.data() + space + 1, end, sample.value).ec != std::errc() ||
      !std::isfinite(sample.value)) {
    return std::nullopt;
  }
  const std::string_view series = line.substr(0, space);
  const size_t brace = series.find('{');
  sample.name = series.substr(0, brace);
  if (brace != std::string_view::npos) sample.labels = series.substr(brace);
  return sample;
}

void Count(const Sample& sample, Counters& counters) {
  const auto has_mode = [&](std::string_view mode) {
    return sample.labels.find(fmt::format("mode=\"{}\"", mode)) != std::string_view::npos;
  };
  if (sample.name == "parterre_steps_total") {
    ++counters.engines;
    counters.steps += sample.value;
  } else if (sample.name == "parterre_graph_steps_total") {
    if (has_mode("eager")) counters.eager_steps += sample.value;
    if (has_mode("capture")) counters.graph_captures += sample.value;
    if (has_mode("replay")) counters.graph_replays += sample.value;
  } else if (sample.name == "parterre_batch_fill_ratio_sum") {
    counters.batch_fill_sum += sample.value;
  } else if (sample.name == "parterre_engine_busy_seconds_total") {
    counters.busy_s = counters.busy_s.value_or(0) + sample.value;
  }
}

void Add(const Counters& other, Counters& sum) {
  sum.engines += other.engines;
  sum.steps += other.steps;
  sum.eager_steps += other.eager_steps;
  sum.graph_captures += other.graph_captures;
  sum.graph_replays += other.graph_replays;
  sum.batch_fill_sum += other.batch_fill_sum;
  if (other.busy_s) sum.busy_s = sum.busy_s.value_or(0) + *other.busy_s;
}

absl::StatusOr<Counters> Scrape(const Url& url, std::chrono::milliseconds timeout) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(url, timeout));
  ASSIGN_OR_RETURN(const Exchange exchange, connection->Post(GetRequest(url, "/metrics")));
  if (exchange.status == 200) return ReadCounters(exchange.body);
  return absl::NotFoundError(fmt::format("/metrics: status {}", exchange.status));
}

}  // namespace

std::optional<double> Counters::batch_fill() const {
  if (steps == 0) return std::nullopt;
  return batch_fill_sum / steps;
}

std::optional<double> Counters::busy_share(double wall_s) const {
  if (!busy_s || engines == 0 || wall_s <= 0) return std::nullopt;
  return *busy_s / (wall_s * engines);
}

absl::StatusOr<Counters> ReadCounters(std::string_view metrics) {
  Counters counters;
  std::istringstream lines{std::string(metrics)};
  for (std::string line; std::getline(lines, line);) {
    if (const std::optional<Sample> sample = ReadSample(line)) Count(*sample, counters);
  }
  if (counters.engines > 0) return counters;
  return absl::NotFoundError("no parterre_steps_total: no worker of a Parterre counts there");
}

Counters Increase(const Counters& before, const Counters& after) {
  Counters increase = after;
  increase.steps -= before.steps;
  increase.eager_steps -= before.eager_steps;
  increase.graph_captures -= before.graph_captures;
  increase.graph_replays -= before.graph_replays;
  increase.batch_fill_sum -= before.batch_fill_sum;
  if (increase.busy_s) *increase.busy_s -= before.busy_s.value_or(0);
  return increase;
}

std::optional<Counters> CounterSpan::End() const {
  if (!before_) return std::nullopt;
  const std::optional<Counters> after = Read();
  return after ? std::optional(Increase(*before_, *after)) : std::nullopt;
}

std::optional<Counters> CounterSpan::Read() const {
  if (!source_) return std::nullopt;
  const absl::StatusOr<Counters> counters = source_();
  return counters.ok() ? std::optional(*counters) : std::nullopt;
}

CounterSource ScrapeCounters(std::vector<Url> urls, std::chrono::milliseconds timeout) {
  return [urls = std::move(urls), timeout]() -> absl::StatusOr<Counters> {
    Counters sum;
    for (const Url& url : urls) {
      ASSIGN_OR_RETURN(const Counters counters, Scrape(url, timeout));
      Add(counters, sum);
    }
    return sum;
  };
}

}  // namespace bench
