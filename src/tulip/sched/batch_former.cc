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

void Sweep(RequestQueue& queue, common::TimePoint now, RequestList& ended) {
  for (auto request = queue.begin(); request != queue.end();) {
    const std::optional<Ending> ending = EarlyEnding(*request, now);
    request = ending ? queue.End(request, *ending, ended) : std::next(request);
  }
}

/// As many of the request's next sequences as fit beside what the plan holds.
Slice NextSlice(Request& request, const BatchPlan& plan, int64_t budget_tokens,
                int64_t sequences_max) {
  Slice slice = {
      .request = &request, .sequence = request.sequences_taken, .token = request.tokens_taken};
  int64_t tokens = plan.tokens;
  for (int64_t i = slice.sequence; i < request.sequences(); ++i) {
    const int64_t length = request.asked.lengths[i];
    if (tokens > 0 && tokens + length > budget_tokens) break;
    if (plan.sequences + slice.sequences == sequences_max) break;
    tokens += length;
    ++slice.sequences;
  }
  slice.tokens = tokens - plan.tokens;
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
    Sweep(queue, now, plan.ended);
    swept_ = now;
  }
  while (!queue.empty()) {
    Request& request = queue.front();
    if (const std::optional<Ending> ending = EarlyEnding(request, now)) {
      queue.End(queue.begin(), *ending, plan.ended);
      continue;
    }
    const Slice slice = NextSlice(request, plan, budget_tokens_, sequences_max_);
    if (slice.sequences == 0) break;
    plan.slices.push_back(slice);
    plan.tokens += slice.tokens;
    plan.sequences += slice.sequences;
    queue.Take(request, slice.sequences, slice.tokens, now);
    if (request.sequences_taken < request.sequences()) break;
    queue.End(queue.begin(), Ending::kTaken, plan.ended);
  }
}

void BatchFormer::EndAll(RequestQueue& queue, BatchPlan& plan) {
  DCHECK(plan.empty());
  while (!queue.empty()) queue.End(queue.begin(), Ending::kShutdown, plan.ended);
}

}  // namespace tulip
