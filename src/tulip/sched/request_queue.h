#pragma once

#include <cstdint>

#include "common/status.h"
#include "tulip/sched/request.h"

namespace tulip {

/// Bounds of what waits; named as their flags.
struct QueueLimits {
  int64_t max_queue_tokens = 1'048'576;
  int64_t max_concurrent_requests = 8192;  ///< Sequences, not calls.
};

/// Accepted requests that still have sequences to run, oldest first. Counts what waits: a sequence
/// leaves the count when it is taken into a batch or its request ends. One thread at a time.
class RequestQueue {
 public:
  explicit RequestQueue(const QueueLimits& limits) : limits_(limits) {}

  /// Moves the single request of `one` to the end of the queue. ResourceExhausted, with the numbers
  /// and `one` as it was, if a bound would be exceeded.
  absl::Status Push(RequestList& one);

  bool empty() const { return requests_.empty(); }
  Request& front() { return requests_.front(); }
  RequestList::iterator begin() { return requests_.begin(); }
  RequestList::iterator end() { return requests_.end(); }

  int64_t tokens() const { return tokens_; }
  int64_t sequences() const { return sequences_; }

  /// Counts the next `sequences` sequences (`tokens` tokens) of `request`, which stands in the
  /// queue, as taken at `now`.
  void Take(Request& request, int64_t sequences, int64_t tokens, common::TimePoint now);

  /// Moves a request to the end of `to`; what it still had to run waits no more. Returns the
  /// request behind it.
  RequestList::iterator End(RequestList::iterator request, Ending ending, RequestList& to);

 private:
  const QueueLimits limits_;
  RequestList requests_;
  int64_t tokens_ = 0;
  int64_t sequences_ = 0;
};

}  // namespace tulip
