#pragma once

#include <cstdint>
#include <vector>

#include "common/clock.h"

namespace bench {

/// Exact statistics of the latencies of one run.
struct LatencySummary {
  int64_t count = 0;
  double mean_ms = 0;
  double min_ms = 0;
  double p50_ms = 0;
  double p90_ms = 0;
  double p99_ms = 0;
  double max_ms = 0;
};

/// The least of `sorted` that at least `share` (0 to 1) of them do not exceed (nearest rank).
/// `sorted` ascends and is not empty.
common::Duration Percentile(const std::vector<common::Duration>& sorted, double share);

/// All zero for no latencies.
LatencySummary Summarize(std::vector<common::Duration> latencies);

double Milliseconds(common::Duration duration);
common::Duration FromSeconds(double seconds);

}  // namespace bench
