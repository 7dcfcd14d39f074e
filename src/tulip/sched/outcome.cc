#include "tulip/sched/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "common/check.h"

namespace tulip {
namespace {

constexpr uint32_t kInfinityBits = 0x7f80'0000;

/// The largest magnitude's bits. Floats without sign order as their bits do, with infinity and then
/// NaN on top, so one pass without a branch, which compilers vectorise, finds any of them.
uint32_t LargestBits(std::span<const float> row) {
  uint32_t largest = 0;
  for (const float value : row) {
    largest = std::max(largest, std::bit_cast<uint32_t>(value) & 0x7fff'ffff);
  }
  return largest;
}

void Fail(Request& request, const absl::Status& status) {
  if (!request.status.ok()) return;  // The first cause is the one to tell.
  request.status = status;
  request.failed.store(true, std::memory_order_relaxed);
}

int64_t RecordSlice(const Slice& slice, std::span<const float> values, int64_t columns) {
  Request& request = *slice.request;
  int64_t bad_rows = 0;
  for (int64_t i = 0; i < slice.sequences; ++i) {
    const uint32_t largest = LargestBits(values.subspan(i * columns, columns));
    if (largest < kInfinityBits) continue;
    ++bad_rows;
    Fail(request,
         absl::InternalError(fmt::format("sequence {}: the model gave {}", slice.sequence + i,
                                         largest > kInfinityBits ? "NaN" : "an infinite value")));
  }
  if (request.status.ok()) {
    wire::InferenceResult& result = request.result;
    result.values.reserve(request.sequences() * columns);
    result.values.insert(result.values.end(), values.begin(), values.end());
    result.rows += static_cast<int32_t>(slice.sequences);
    result.columns = static_cast<int32_t>(columns);
  }
  return bad_rows;
}

int64_t Microseconds(common::Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

}  // namespace

int64_t RecordRows(const BatchPlan& plan, const StepRows& rows) {
  CHECK(static_cast<int64_t>(rows.values.size()) == plan.sequences * rows.columns);
  int64_t bad_rows = 0;
  int64_t row = 0;
  for (const Slice& slice : plan.slices) {
    bad_rows +=
        RecordSlice(slice, rows.values.subspan(row * rows.columns, slice.sequences * rows.columns),
                    rows.columns);
    row += slice.sequences;
    wire::Timing& timing = slice.request->result.timing;
    timing.compute_us = Microseconds(rows.compute);
    timing.batch_tokens = std::max(timing.batch_tokens, static_cast<int32_t>(plan.tokens));
  }
  return bad_rows;
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
  CHECK(request.result.rows == request.sequences());
  request.result.timing.queue_us = Microseconds(request.taken - request.enqueued);
  return std::move(request.result);
}

}  // namespace tulip
