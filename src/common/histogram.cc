#include "common/histogram.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace common {

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Histogram::Observe(double value) {
  const auto bucket = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  counts_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

prometheus::ClientMetric Histogram::Collect() const {
  prometheus::ClientMetric metric;
  uint64_t count = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i].load(std::memory_order_relaxed);
    const double bound = i < bounds_.size() ? bounds_[i] : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({.cumulative_count = count, .upper_bound = bound});
  }
  metric.histogram.sample_count = count;
  metric.histogram.sample_sum = sum_.load(std::memory_order_relaxed);
  return metric;
}

}  // namespace common
