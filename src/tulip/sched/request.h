#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>

#include "common/clock.h"
#include "common/status.h"
#include "wire/inference.h"

namespace tulip {

/// Why a request left the queue.
enum class Ending {
  kTaken,      ///< Its last sequence is in a batch.
  kFailed,     ///< A sequence taken earlier failed; the others are not run.
  kCancelled,  ///< Nobody waits for the answer any more.
  kDeadline,
  kShutdown,
};

/// One accepted request, from admission to its answer. It stands in exactly one RequestList at any
/// time: the queue, then the batch that ended it, then the answers being given. Whoever holds that
/// list owns the request.
struct Request {
  Request(wire::InferenceRequest asked_for, wire::InferenceClient::Callback callback,
          common::TimePoint now)
      : asked(std::move(asked_for)), done(std::move(callback)), enqueued(now) {}

  int64_t tokens() const { return static_cast<int64_t>(asked.ids.size()); }
  int64_t sequences() const { return static_cast<int64_t>(asked.lengths.size()); }

  const wire::InferenceRequest asked;
  const wire::InferenceClient::Callback done;
  const common::TimePoint enqueued;

  // Written where batches are formed, read by the completion side once the request has ended.
  int64_t sequences_taken = 0;
  int64_t tokens_taken = 0;
  common::TimePoint taken;  ///< When the latest of its sequences went into a batch.
  std::size_t slice = 0;    ///< Place of its slice in the plan that has one of it, being formed.
  Ending ending = Ending::kTaken;

  // The completion side's alone.
  absl::Status status;  ///< The first failure of one of its sequences.
  wire::InferenceResult result;

  /// Set by the completion side with `status`, so that no more of its sequences are taken.
  std::atomic<bool> failed{false};
};

/// Requests move from list to list by splicing, which neither allocates nor moves them in memory.
using RequestList = std::list<Request>;

}  // namespace tulip
