#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "common/metrics.h"
#include "tulip/sched/batch_plan.h"
#include "tulip/sched/request.h"

namespace tulip {

/// One worker's metrics, registered when it is made under labels that no other worker has: its
/// model and device. Any thread.
class WorkerMetrics {
 public:
  /// `budget_tokens`: what a full step holds.
  WorkerMetrics(common::Metrics& metrics, const common::Metrics::Labels& worker,
                int64_t budget_tokens);

  void CountRejected(absl::StatusCode code);  ///< Refused before it was queued.
  void CountStep(const BatchPlan& plan);      ///< Handed to the engine; holds a batch.
  void CountEnded(const Request& request);    ///< Nothing for kTaken and kFailed.

  prometheus::Gauge& queue_tokens;
  prometheus::Gauge& queue_sequences;
  prometheus::Gauge& load_tokens;
  prometheus::Counter& failed_steps;
  prometheus::Counter& engine_busy_seconds;
  prometheus::Counter& nonfinite_rows;
  // Of requests that were answered.
  common::Histogram& queue_duration_seconds;
  common::Histogram& compute_duration_seconds;
  // Of steps.
  common::Histogram& launch_duration_seconds;
  common::Histogram& batch_wait_duration_seconds;
  common::Histogram& finish_duration_seconds;

 private:
  struct Dropped {
    Dropped(common::Metrics& metrics, const common::Metrics::Labels& worker, const char* reason);

    prometheus::Counter& requests;
    prometheus::Counter& tokens;  ///< Of them that never ran.
  };
  void CountDropped(const Request& request, Dropped& dropped);

  const double budget_tokens_;
  prometheus::Counter& steps_;
  common::Histogram& batch_tokens_;
  common::Histogram& batch_sequences_;
  common::Histogram& batch_fill_;
  prometheus::Counter& rejected_invalid_;
  prometheus::Counter& rejected_queue_full_;
  prometheus::Counter& rejected_shutdown_;
  Dropped dropped_cancelled_;
  Dropped dropped_deadline_;
  Dropped dropped_shutdown_;
};

}  // namespace tulip
