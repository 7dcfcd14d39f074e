#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/url.h"
#include "common/status.h"

namespace bench {

/// What the workers of a Parterre have counted, of all its engines together.
struct Counters {
  double engines = 0;
  double steps = 0;
  double eager_steps = 0;          ///< Without a graph; of these three a CPU counts none.
  double graph_captures = 0;       ///< That made one.
  double graph_replays = 0;        ///< That ran one made before.
  double batch_fill_sum = 0;       ///< Of each step its tokens over the batch budget.
  std::optional<double> busy_s{};  ///< In which an engine had work; of engines that count it.

  std::optional<double> batch_fill() const;  ///< Of a step, in the mean.
  /// Of `wall_s` seconds, of an engine in the mean.
  std::optional<double> busy_share(double wall_s) const;
};

/// Reads a page of /metrics. NotFound if it holds no worker's counters.
absl::StatusOr<Counters> ReadCounters(std::string_view metrics);

/// What was counted since `before`.
Counters Increase(const Counters& before, const Counters& after);

/// Reads the counters as they stand.
using CounterSource = std::function<absl::StatusOr<Counters>()>;

/// What is counted while something runs, as far as it can be read. What `source` is of outlives it.
class CounterSpan {
 public:
  /// `source` may be null: then nothing is counted.
  explicit CounterSpan(const CounterSource& source) : source_(source) {}

  void Begin() { before_ = Read(); }
  std::optional<Counters> End() const;

 private:
  std::optional<Counters> Read() const;

  const CounterSource& source_;
  std::optional<Counters> before_;
};

/// Those of /metrics at each of these addresses, added up.
CounterSource ScrapeCounters(std::vector<Url> urls, std::chrono::milliseconds timeout);

}  // namespace bench
