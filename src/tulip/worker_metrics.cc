#include "tulip/worker_metrics.h"

namespace tulip {
namespace {

using Labels = common::Metrics::Labels;

/// 1, 2, 4 … up to `last`.
prometheus::Histogram::BucketBoundaries PowersOfTwo(int last) {
  prometheus::Histogram::BucketBoundaries bounds;
  for (int bound = 1; bound <= last; bound *= 2) bounds.push_back(bound);
  return bounds;
}

Labels WithReason(Labels labels, const char* reason) {
  labels["reason"] = reason;
  return labels;
}

prometheus::Counter& Rejected(common::Metrics& metrics, const Labels& worker, const char* reason) {
  return metrics.Counter("parterre_rejected_requests_total",
                         "Inference requests refused before they were queued",
                         WithReason(worker, reason));
}

prometheus::Counter& Dropped(common::Metrics& metrics, const Labels& worker, const char* reason) {
  return metrics.Counter("parterre_dropped_requests_total",
                         "Queued inference requests that ended before all of them ran",
                         WithReason(worker, reason));
}

}  // namespace

WorkerMetrics::WorkerMetrics(common::Metrics& metrics, const Labels& worker)
    : queue_tokens(metrics.Gauge("parterre_queue_tokens", "Tokens waiting for a batch", worker)),
      queue_sequences(
          metrics.Gauge("parterre_queue_sequences", "Sequences waiting for a batch", worker)),
      steps(metrics.Counter("parterre_steps_total", "Batches handed to the engine", worker)),
      failed_steps(
          metrics.Counter("parterre_failed_steps_total", "Steps without a result", worker)),
      nonfinite_rows(metrics.Counter("parterre_nonfinite_rows_total",
                                     "Rows that held NaN or an infinite value", worker)),
      batch_tokens(metrics.Histogram("parterre_batch_tokens", "Tokens of a batch",
                                     PowersOfTwo(65536), worker)),
      batch_sequences(metrics.Histogram("parterre_batch_sequences", "Sequences of a batch",
                                        PowersOfTwo(4096), worker)),
      queue_duration_seconds(metrics.Histogram("parterre_queue_duration_seconds",
                                               "Queued until the last sequence was in a batch",
                                               common::DurationBuckets(), worker)),
      compute_duration_seconds(
          metrics.Histogram("parterre_compute_duration_seconds",
                            "Batch handed to the engine until its rows were there",
                            common::DurationBuckets(), worker)),
      rejected_invalid_(Rejected(metrics, worker, "invalid")),
      rejected_queue_full_(Rejected(metrics, worker, "queue_full")),
      rejected_shutdown_(Rejected(metrics, worker, "shutdown")),
      dropped_cancelled_(Dropped(metrics, worker, "cancelled")),
      dropped_deadline_(Dropped(metrics, worker, "deadline")),
      dropped_shutdown_(Dropped(metrics, worker, "shutdown")) {}

void WorkerMetrics::CountRejected(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kResourceExhausted:
      rejected_queue_full_.Increment();
      break;
    case absl::StatusCode::kUnavailable:
      rejected_shutdown_.Increment();
      break;
    default:
      rejected_invalid_.Increment();
  }
}

void WorkerMetrics::CountEnded(Ending ending) {
  switch (ending) {
    case Ending::kTaken:
    case Ending::kFailed:
      break;
    case Ending::kCancelled:
      dropped_cancelled_.Increment();
      break;
    case Ending::kDeadline:
      dropped_deadline_.Increment();
      break;
    case Ending::kShutdown:
      dropped_shutdown_.Increment();
      break;
  }
}

}  // namespace tulip
