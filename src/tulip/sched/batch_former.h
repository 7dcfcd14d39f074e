#pragma once

#include <algorithm>
#include <cstdint>

#include "common/clock.h"
#include "tulip/sched/batch_plan.h"
#include "tulip/sched/request_queue.h"

namespace tulip {

/// A batch takes whole sequences in the queue's order until the next one would exceed the budget or
/// the number that a step takes; the first always goes, so that a sequence longer than the budget
/// runs alone. A request may be split over several batches. It never waits for company.
///
/// Requests that are cancelled, past their deadline or already failed end instead of being taken:
/// those that the batch comes to at once, those behind it within kSweepInterval. Pure logic, no
/// clock of its own; allocates nothing once a plan has its memory. One thread at a time.
class BatchFormer {
 public:
  /// How often, at most, a visit looks at the whole queue: the dead at the back must give their
  /// room to the living, but not every short step should pay for a walk over all that wait.
  static constexpr common::Duration kSweepInterval = std::chrono::milliseconds(10);

  /// Both at least 1.
  BatchFormer(int64_t budget_tokens, int64_t sequences_max);

  /// Fills `plan`, which is empty. Takes nothing only if nothing alive waits.
  void Form(RequestQueue& queue, common::TimePoint now, BatchPlan& plan);

  /// Ends all that waits with kShutdown, into `plan`, which is empty.
  static void EndAll(RequestQueue& queue, BatchPlan& plan);

  /// A batch has no more slices.
  int64_t sequences_max() const { return std::min(budget_tokens_, sequences_max_); }

 private:
  const int64_t budget_tokens_;
  const int64_t sequences_max_;
  common::TimePoint swept_;
};

}  // namespace tulip
