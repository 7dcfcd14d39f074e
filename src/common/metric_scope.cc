#include "common/metric_scope.h"

namespace common {

MetricScope::~MetricScope() {
  const MutexLock lock(metrics_.mutex_);
  for (const auto& [metric, remove] : removals_) {
    const auto users = metrics_.scopes_.find(metric);
    if (--users->second > 0) continue;
    metrics_.scopes_.erase(users);
    remove();
  }
}

prometheus::Counter& MetricScope::Counter(const std::string& name, const std::string& help,
                                          const Metrics::Labels& labels) {
  return Add(prometheus::BuildCounter().Name(name).Help(help).Register(metrics_.registry_), labels);
}

prometheus::Gauge& MetricScope::Gauge(const std::string& name, const std::string& help,
                                      const Metrics::Labels& labels) {
  return Add(prometheus::BuildGauge().Name(name).Help(help).Register(metrics_.registry_), labels);
}

template <typename Metric>
Metric& MetricScope::Add(prometheus::Family<Metric>& family, const Metrics::Labels& labels) {
  const MutexLock lock(metrics_.mutex_);
  Metric& metric = family.Add(labels);
  if (removals_.emplace(&metric, [&] { family.Remove(&metric); }).second) {
    ++metrics_.scopes_[&metric];
  }
  return metric;
}

}  // namespace common
