#pragma once

#include <cstdint>
#include <optional>

#include "common/status.h"
#include "tulip/sched/job_turns.h"
#include "tulip/sched/request.h"
#include "tulip/sched/schedule.h"

namespace tulip {

/// Bounds of what waits; named as their flags.
struct QueueLimits {
  int64_t max_queue_tokens = 1'048'576;
  int64_t max_concurrent_requests = 8192;  ///< Sequences, not calls.
};

/// Accepted requests that still have sequences to run, and whose turn it is. Counts what waits: a
/// sequence leaves the count when it is taken into a batch or its request ends. One thread at a
/// time.
class RequestQueue {
 public:
  explicit RequestQueue(const QueueLimits& limits, Schedule schedule = Schedule::kFcfs)
      : limits_(limits), turns_(schedule) {}

  /// Moves the single request of `one` into the queue. ResourceExhausted, with the numbers and
  /// `one` as it was, if a bound would be exceeded.
  absl::Status Push(RequestList& one);

  bool empty() const { return turns_.empty(); }
  int64_t tokens() const { return tokens_; }
  int64_t sequences() const { return sequences_; }

  /// The request whose turn it is; there is one.
  Request& front() { return turns_.front(); }
  /// Tokens that may be taken of it until it is another's turn; its next sequence always may.
  int64_t turn_tokens() const { return turns_.turn_tokens(); }

  /// Counts the next `sequences` sequences (`tokens` tokens) of front() as taken at `now`. If they
  /// are its last it ends, as kTaken.
  void Take(int64_t sequences, int64_t tokens, common::TimePoint now, RequestList& ended);
  /// Moves front() to the end of `ended`; what it still had to run waits no more.
  void EndFront(Ending ending, RequestList& ended);
  /// The same for each request to which `ending_of` gives an ending, a std::optional<Ending>.
  template <typename EndingOf>
  void EndIf(EndingOf ending_of, RequestList& ended) {
    const auto ends = [&](Request& request) {
      const std::optional<Ending> ending = ending_of(request);
      if (ending) Discard(request, *ending);
      return ending.has_value();
    };
    turns_.RemoveIf(ends, ended);
  }

 private:
  void Discard(Request& request, Ending ending);

  const QueueLimits limits_;
  JobTurns turns_;
  int64_t tokens_ = 0;
  int64_t sequences_ = 0;
};

}  // namespace tulip
