#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/histogram.h"
#include "common/mutex.h"

namespace common {

/// The process's metrics, in Prometheus's terms. Made in apps, handed to ivy and tulip by
/// reference; outlives both. Registration locks (do it at start); the returned objects take no lock
/// and live as long as the registry. Any thread.
class Metrics {
 public:
  using Labels = prometheus::Labels;
  using Buckets = std::vector<double>;

  prometheus::Counter& Counter(const std::string& name, const std::string& help,
                               const Labels& labels = {});
  prometheus::Gauge& Gauge(const std::string& name, const std::string& help,
                           const Labels& labels = {});
  /// `buckets` as common::Histogram takes them. What is registered twice is one histogram.
  common::Histogram& Histogram(const std::string& name, const std::string& help,
                               const Buckets& buckets, const Labels& labels = {});

  /// Prometheus text exposition of everything registered.
  std::string Text() const;

 private:
  friend class MetricScope;

  struct HistogramFamily {
    std::string help;
    std::map<Labels, std::unique_ptr<common::Histogram>> members;
  };

  prometheus::Registry registry_;  ///< Of counters and gauges.
  mutable Mutex mutex_;
  std::map<std::string, HistogramFamily> histograms_ ABSL_GUARDED_BY(mutex_);  ///< By name.
  std::map<const void*, int> scopes_ ABSL_GUARDED_BY(mutex_);  ///< That use a metric.
};

/// Bucket bounds in seconds, each 1.5 times the one before, of one ladder for all durations: for
/// what may wait behind other work, from 15 µs to 74 s.
const Metrics::Buckets& DurationBuckets();
/// For work that waits for nothing, from 15 µs to 1.3 s.
const Metrics::Buckets& ShortDurationBuckets();

}  // namespace common
