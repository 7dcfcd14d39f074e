#include "tulip/graph_metrics.h"

namespace tulip {
namespace {

prometheus::Counter& Steps(common::Metrics& metrics, common::Metrics::Labels labels,
                           const char* mode) {
  labels["mode"] = mode;
  return metrics.Counter("parterre_graph_steps_total",
                         "Steps that ran without a graph, made one, ran one made before", labels);
}

void Raise(prometheus::Counter& counter, int64_t from, int64_t to) {
  if (to > from) counter.Increment(static_cast<double>(to - from));
}

}  // namespace

GraphMetrics::GraphMetrics(common::Metrics& metrics, const common::Metrics::Labels& worker)
    : eager_(Steps(metrics, worker, "eager")),
      captures_(Steps(metrics, worker, "capture")),
      replays_(Steps(metrics, worker, "replay")),
      evictions_(metrics.Counter("parterre_graph_evictions_total",
                                 "Graphs dropped for want of memory", worker)),
      memory_bytes_(
          metrics.Gauge("parterre_graph_memory_bytes", "Of the graphs that are kept", worker)) {}

void GraphMetrics::Show(const rose::GraphCounters& counters) {
  Raise(eager_, shown_.eager, counters.eager);
  Raise(captures_, shown_.captures, counters.captures);
  Raise(replays_, shown_.replays, counters.replays);
  Raise(evictions_, shown_.evictions, counters.evictions);
  memory_bytes_.Set(static_cast<double>(counters.memory_bytes));
  shown_ = counters;
}

}  // namespace tulip
