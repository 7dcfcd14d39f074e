#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>

namespace common {

/// The process's metrics, in Prometheus's terms. Made in apps, handed to ivy and tulip by
/// reference; outlives both. Registration locks (do it at start); the returned objects are
/// lock-free enough for the hot path and live as long as the registry. Any thread.
class Metrics {
 public:
  using Labels = prometheus::Labels;

  prometheus::Counter& Counter(const std::string& name, const std::string& help,
                               const Labels& labels = {});
  prometheus::Gauge& Gauge(const std::string& name, const std::string& help,
                           const Labels& labels = {});
  /// `buckets`: upper bounds, ascending; the +Inf bucket is implied.
  prometheus::Histogram& Histogram(const std::string& name, const std::string& help,
                                   const prometheus::Histogram::BucketBoundaries& buckets,
                                   const Labels& labels = {});

  /// Prometheus text exposition of everything registered.
  std::string Text() const;

 private:
  prometheus::Registry registry_;
};

/// Bucket bounds for durations in seconds: 35 of them, from 15 µs, ×1.5 each (as TEI's).
const prometheus::Histogram::BucketBoundaries& DurationBuckets();

}  // namespace common
