#include "tulip/sched/batch_former.h"

#include <optional>

#include "common/check.h"

namespace tulip {
namespace {

/// Why nothing more of the request should run, if so.
std::optional<Ending> EarlyEnding(const Request& request, common::TimePoint now) {
  if (request.failed.load(std::memory_order_relaxed)) return Ending::kFailed;
  if (request.asked.cancel != nullptr && request.asked.cancel->cancelled()) {
    return Ending::kCancelled;
  }
  if (request.asked.deadline <= now) return Ending::kDeadline;
  return std::nullopt;
}

/// What may be taken in one turn of a request.
struct Room {
  int64_t budget_tokens;  ///< Unless it is the plan's first sequence.
  int64_t sequences;
  int64_t turn_tokens;  ///< Unless it is the turn's first.
};

/// As many of the request's next sequences as there is room for beside what the plan holds.
Slice NextSlice(Request& request, bool first, const Room& room) {
  Slice slice = {
      .request = &request, .sequence = request.sequences_taken, .token = request.tokens_taken};
  for (int64_t i = slice.sequence; i < request.sequences(); ++i) {
    const int64_t tokens = slice.tokens + request.asked.lengths[i];
    if (slice.sequences == room.sequences) break;
    if (tokens > room.budget_tokens && !(first && slice.sequences == 0)) break;
    if (tokens > room.turn_tokens && slice.sequences > 0) break;
    slice.tokens = tokens;
    ++slice.sequences;
  }
  return slice;
}

}  // namespace

BatchFormer::BatchFormer(int64_t budget_tokens, int64_t sequences_max)
    : budget_tokens_(budget_tokens), sequences_max_(sequences_max) {
  CHECK(budget_tokens >= 1 && sequences_max >= 1);
}

void BatchFormer::Form(RequestQueue& queue, common::TimePoint now, BatchPlan& plan) {
  DCHECK(plan.empty());
  if (now - swept_ >= kSweepInterval) {
    queue.EndIf([&](const Request& request) { return EarlyEnding(request, now); }, plan.ended);
    swept_ = now;
  }
  while (!queue.empty()) {
    Request& request = queue.front();
    if (const std::optional<Ending> ending = EarlyEnding(request, now)) {
      queue.EndFront(*ending, plan.ended);
      continue;
    }
    const Room room = {.budget_tokens = budget_tokens_ - plan.tokens,
                       .sequences = sequences_max_ - plan.sequences,
                       .turn_tokens = queue.turn_tokens()};
    const Slice slice = NextSlice(request, plan.sequences == 0, room);
    if (slice.sequences == 0) break;
    plan.Add(slice);
    queue.Take(slice.sequences, slice.tokens, now, plan.ended);
  }
}

void BatchFormer::EndAll(RequestQueue& queue, BatchPlan& plan) {
  DCHECK(plan.empty());
  queue.EndIf([](const Request&) { return std::optional(Ending::kShutdown); }, plan.ended);
}

}  // namespace tulip
