#include "common/metrics.h"

#include <prometheus/text_serializer.h>

#include <utility>

namespace common {
namespace {

Metrics::Buckets Ladder(std::size_t steps) {
  Metrics::Buckets bounds;
  for (double bound = 1.5e-5; bounds.size() < steps; bound *= 1.5) bounds.push_back(bound);
  return bounds;
}

}  // namespace

prometheus::Counter& Metrics::Counter(const std::string& name, const std::string& help,
                                      const Labels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels);
}

prometheus::Gauge& Metrics::Gauge(const std::string& name, const std::string& help,
                                  const Labels& labels) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels);
}

Histogram& Metrics::Histogram(const std::string& name, const std::string& help,
                              const Buckets& buckets, const Labels& labels) {
  const MutexLock lock(mutex_);
  HistogramFamily& family = histograms_[name];
  family.help = help;
  std::unique_ptr<common::Histogram>& member = family.members[labels];
  if (member == nullptr) member = std::make_unique<common::Histogram>(buckets);
  return *member;
}

std::string Metrics::Text() const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  const MutexLock lock(mutex_);
  for (const auto& [name, histograms] : histograms_) {
    prometheus::MetricFamily& family = families.emplace_back();
    family.name = name;
    family.help = histograms.help;
    family.type = prometheus::MetricType::Histogram;
    for (const auto& [labels, histogram] : histograms.members) {
      prometheus::ClientMetric& metric = family.metric.emplace_back(histogram->Collect());
      for (const auto& [key, value] : labels) metric.label.push_back({key, value});
    }
  }
  return prometheus::TextSerializer().Serialize(families);
}

const Metrics::Buckets& DurationBuckets() {
  static const Metrics::Buckets buckets = Ladder(39);
  return buckets;
}

const Metrics::Buckets& ShortDurationBuckets() {
  static const Metrics::Buckets buckets = Ladder(29);
  return buckets;
}

}  // namespace common
