#pragma once

#include <prometheus/client_metric.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "common/clock.h"

namespace common {

/// How many values fell into which bucket, as Prometheus counts them. Any thread.
class Histogram {
 public:
  /// `bounds`: upper bounds, ascending, that belong to their bucket; the +Inf bucket is implied.
  explicit Histogram(std::vector<double> bounds);

  /// Two atomic additions; prometheus-cpp's own histogram takes a lock.
  void Observe(double value);
  /// Of seconds.
  void Observe(Duration duration) { Observe(std::chrono::duration<double>(duration).count()); }

  prometheus::ClientMetric Collect() const;

 private:
  const std::vector<double> bounds_;
  std::vector<std::atomic<uint64_t>> counts_;  ///< By bucket, not cumulative.
  std::atomic<double> sum_{0};
};

}  // namespace common
