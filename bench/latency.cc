#include "bench/latency.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/check.h"

namespace bench {

common::Duration Percentile(const std::vector<common::Duration>& sorted, double share) {
  CHECK(!sorted.empty());
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  const size_t index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

LatencySummary Summarize(std::vector<common::Duration> latencies) {
  if (latencies.empty()) return {};
  std::sort(latencies.begin(), latencies.end());
  const common::Duration sum =
      std::accumulate(latencies.begin(), latencies.end(), common::Duration{});
  return {.count = static_cast<int64_t>(latencies.size()),
          .mean_ms = Milliseconds(sum) / static_cast<double>(latencies.size()),
          .min_ms = Milliseconds(latencies.front()),
          .p50_ms = Milliseconds(Percentile(latencies, 0.50)),
          .p90_ms = Milliseconds(Percentile(latencies, 0.90)),
          .p99_ms = Milliseconds(Percentile(latencies, 0.99)),
          .max_ms = Milliseconds(latencies.back())};
}

common::Duration FromSeconds(double seconds) {
  return std::chrono::duration_cast<common::Duration>(std::chrono::duration<double>(seconds));
}

double Milliseconds(common::Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace bench
