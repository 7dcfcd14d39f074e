#pragma once

#include "common/metrics.h"
#include "rose/runtime/engine.h"

namespace tulip {

/// One worker's metrics of its engine's graphs, all 0 where it captures none. The worker's engine
/// thread, since the engine tells it alone.
class GraphMetrics {
 public:
  GraphMetrics(common::Metrics& metrics, const common::Metrics::Labels& worker);

  /// Of the same engine each time: counts never fall.
  void Show(const rose::GraphCounters& counters);

 private:
  prometheus::Counter& eager_;
  prometheus::Counter& captures_;
  prometheus::Counter& replays_;
  prometheus::Counter& evictions_;
  prometheus::Gauge& memory_bytes_;
  rose::GraphCounters shown_;
};

}  // namespace tulip
