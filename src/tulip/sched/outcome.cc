#include "tulip/sched/outcome.h"

#include <algorithm>
#include <cmath>

#include "common/check.h"
#include "common/finite.h"
#include "tulip/sched/append_rows.h"
#include "tulip/sched/slice_rows.h"
#include "wire/sequence_error.h"

namespace tulip {
namespace {

void Fail(Request& request, const absl::Status& status) {
  if (!request.status.ok()) return;  // The first cause is the one to tell.
  request.status = status;
  request.failed.store(true, std::memory_order_relaxed);
}

/// Fails the request if a value that it asked for is not finite.
int64_t CheckFinite(const SliceRows& rows) {
  Request& request = *rows.slice().request;
  int64_t bad_sequences = 0;
  rows.ForEachSequence([&](const Extent& extent) {
    const float* wrong = nullptr;
    for (const hub::Output output : hub::kAllOutputs) {
      if (wrong != nullptr || !request.asked.outputs.Has(output)) continue;
      wrong = common::FindNonFinite(rows.Values(output, extent));
    }
    if (wrong == nullptr) return;
    ++bad_sequences;
    Fail(request,
         wire::SequenceError(
             absl::StatusCode::kInternal,
             static_cast<std::size_t>(rows.slice().sequence + extent.sequence),
             std::isnan(*wrong) ? "the model gave NaN" : "the model gave an infinite value"));
  });
  return bad_sequences;
}

int64_t Microseconds(common::Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

}  // namespace

int64_t RecordRows(const BatchPlan& plan, const StepRows& step) {
  int64_t bad_sequences = 0;
  int64_t sequence = 0, token = 0;
  for (const Slice& slice : plan.slices) {
    const SliceRows rows(slice, sequence, token, step.outputs, step.shapes);
    bad_sequences += CheckFinite(rows);
    wire::InferenceResult& result = slice.request->result;
    if (slice.request->status.ok()) AppendRows(rows, step.sparse_ids_left_out, result);
    result.timing.compute_us = Microseconds(step.compute);
    result.timing.batch_tokens =
        std::max(result.timing.batch_tokens, static_cast<int32_t>(plan.tokens));
    sequence += slice.sequences;
    token += slice.tokens;
  }
  return bad_sequences;
}

void RecordFailure(const BatchPlan& plan, const absl::Status& status) {
  for (const Slice& slice : plan.slices) Fail(*slice.request, status);
}

absl::StatusOr<wire::InferenceResult> TakeOutcome(Request& request) {
  if (!request.status.ok()) return request.status;
  switch (request.ending) {
    case Ending::kTaken:
      break;
    case Ending::kFailed:
      CHECK(false) << "a failed request has no status";
    case Ending::kCancelled:
      return absl::CancelledError("the request was cancelled before all of it ran");
    case Ending::kDeadline:
      return absl::DeadlineExceededError("the deadline passed before all of the request ran");
    case Ending::kShutdown:
      return absl::UnavailableError("shutting down before all of the request ran");
  }
  CHECK(request.result.sequences == request.sequences());
  request.result.timing.queue_us = Microseconds(request.taken - request.enqueued);
  return std::move(request.result);
}

}  // namespace tulip
