#pragma once

#include <functional>
#include <map>
#include <string>

#include "common/metrics.h"

namespace common {

/// Metrics of something that may go before the process does, and take them along. Series of the
/// same name and labels that several scopes register are one, and stay until the last of those
/// goes; they are registered by scopes alone. One thread at a time.
class MetricScope {
 public:
  /// `metrics` outlives the scope.
  explicit MetricScope(Metrics& metrics) : metrics_(metrics) {}
  ~MetricScope();

  MetricScope(const MetricScope&) = delete;
  MetricScope& operator=(const MetricScope&) = delete;

  /// As those of Metrics; they live as long as the scope.
  prometheus::Counter& Counter(const std::string& name, const std::string& help,
                               const Metrics::Labels& labels);
  prometheus::Gauge& Gauge(const std::string& name, const std::string& help,
                           const Metrics::Labels& labels);

 private:
  template <typename Metric>
  Metric& Add(prometheus::Family<Metric>& family, const Metrics::Labels& labels);

  Metrics& metrics_;
  std::map<const void*, std::function<void()>> removals_;  ///< By metric.
};

}  // namespace common
