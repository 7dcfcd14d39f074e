#pragma once

#include "absl/status/status.h"
#include "common/metrics.h"
#include "tulip/sched/request.h"

namespace tulip {

/// One worker's metrics, registered when it is made under labels that no other worker has: its
/// model and device. Any thread.
class WorkerMetrics {
 public:
  WorkerMetrics(common::Metrics& metrics, const common::Metrics::Labels& worker);

  void CountRejected(absl::StatusCode code);  ///< Refused before it was queued.
  void CountEnded(Ending ending);             ///< Nothing for kTaken and kFailed.

  prometheus::Gauge& queue_tokens;
  prometheus::Gauge& queue_sequences;
  prometheus::Counter& steps;
  prometheus::Counter& failed_steps;
  prometheus::Counter& nonfinite_rows;
  prometheus::Histogram& batch_tokens;
  prometheus::Histogram& batch_sequences;
  prometheus::Histogram& queue_duration_seconds;
  prometheus::Histogram& compute_duration_seconds;

 private:
  prometheus::Counter& rejected_invalid_;
  prometheus::Counter& rejected_queue_full_;
  prometheus::Counter& rejected_shutdown_;
  prometheus::Counter& dropped_cancelled_;
  prometheus::Counter& dropped_deadline_;
  prometheus::Counter& dropped_shutdown_;
};

}  // namespace tulip
