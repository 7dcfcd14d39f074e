#include "tulip/worker_metrics.h"

namespace tulip {
namespace {

using Labels = common::Metrics::Labels;

/// 1, 2, 4 … up to `last`.
common::Metrics::Buckets PowersOfTwo(int last) {
  common::Metrics::Buckets bounds;
  for (int bound = 1; bound <= last; bound *= 2) bounds.push_back(bound);
  return bounds;
}

/// A step fuller than its budget is a sequence alone.
common::Metrics::Buckets Tenths() {
  common::Metrics::Buckets bounds;
  for (int tenth = 1; tenth <= 10; ++tenth) bounds.push_back(tenth / 10.0);
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

}  // namespace

WorkerMetrics::Dropped::Dropped(common::Metrics& metrics, const Labels& worker, const char* reason)
    : requests(metrics.Counter("parterre_dropped_requests_total",
                               "Queued inference requests that ended before all of them ran",
                               WithReason(worker, reason))),
      tokens(metrics.Counter("parterre_dropped_tokens_total", "Their tokens that never ran",
                             WithReason(worker, reason))) {}

WorkerMetrics::WorkerMetrics(common::Metrics& metrics, const Labels& worker, int64_t budget_tokens)
    : queue_tokens(metrics.Gauge("parterre_queue_tokens", "Tokens waiting for a batch", worker)),
      queue_sequences(
          metrics.Gauge("parterre_queue_sequences", "Sequences waiting for a batch", worker)),
      load_tokens(metrics.Gauge("parterre_load_tokens", "Tokens waiting or running", worker)),
      failed_steps(
          metrics.Counter("parterre_failed_steps_total", "Steps without a result", worker)),
      engine_busy_seconds(metrics.Counter("parterre_engine_busy_seconds_total",
                                          "Time in which the engine had a step to run", worker)),
      nonfinite_rows(metrics.Counter("parterre_nonfinite_rows_total",
                                     "Rows that held NaN or an infinite value", worker)),
      queue_duration_seconds(metrics.Histogram("parterre_queue_duration_seconds",
                                               "Queued until the last sequence was in a batch",
                                               common::DurationBuckets(), worker)),
      compute_duration_seconds(
          metrics.Histogram("parterre_compute_duration_seconds",
                            "Batch handed to the engine until its rows were there",
                            common::DurationBuckets(), worker)),
      launch_duration_seconds(metrics.Histogram("parterre_launch_duration_seconds",
                                                "Handing a batch to the engine",
                                                common::ShortDurationBuckets(), worker)),
      batch_wait_duration_seconds(
          metrics.Histogram("parterre_batch_wait_duration_seconds",
                            "Batch handed to the engine until the one before was done",
                            common::DurationBuckets(), worker)),
      finish_duration_seconds(metrics.Histogram("parterre_finish_duration_seconds",
                                                "Rows there until all of a batch was answered",
                                                common::ShortDurationBuckets(), worker)),
      budget_tokens_(static_cast<double>(budget_tokens)),
      steps_(metrics.Counter("parterre_steps_total", "Batches handed to the engine", worker)),
      batch_tokens_(metrics.Histogram("parterre_batch_tokens", "Tokens of a batch",
                                      PowersOfTwo(65536), worker)),
      batch_sequences_(metrics.Histogram("parterre_batch_sequences", "Sequences of a batch",
                                         PowersOfTwo(4096), worker)),
      batch_fill_(metrics.Histogram("parterre_batch_fill_ratio",
                                    "Tokens of a batch over the batch budget", Tenths(), worker)),
      rejected_invalid_(Rejected(metrics, worker, "invalid")),
      rejected_queue_full_(Rejected(metrics, worker, "queue_full")),
      rejected_shutdown_(Rejected(metrics, worker, "shutdown")),
      dropped_cancelled_(metrics, worker, "cancelled"),
      dropped_deadline_(metrics, worker, "deadline"),
      dropped_shutdown_(metrics, worker, "shutdown") {}

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

void WorkerMetrics::CountStep(const BatchPlan& plan) {
  const auto tokens = static_cast<double>(plan.tokens);
  steps_.Increment();
  batch_tokens_.Observe(tokens);
  batch_sequences_.Observe(static_cast<double>(plan.sequences));
  batch_fill_.Observe(tokens / budget_tokens_);
}

void WorkerMetrics::CountEnded(const Request& request) {
  switch (request.ending) {
    case Ending::kTaken:
    case Ending::kFailed:
      break;
    case Ending::kCancelled:
      CountDropped(request, dropped_cancelled_);
      break;
    case Ending::kDeadline:
      CountDropped(request, dropped_deadline_);
      break;
    case Ending::kShutdown:
      CountDropped(request, dropped_shutdown_);
      break;
  }
}

void WorkerMetrics::CountDropped(const Request& request, Dropped& dropped) {
  dropped.requests.Increment();
  dropped.tokens.Increment(static_cast<double>(request.tokens() - request.tokens_taken));
}

}  // namespace tulip
