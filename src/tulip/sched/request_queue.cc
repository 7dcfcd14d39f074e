#include "tulip/sched/request_queue.h"

#include <fmt/format.h>

#include "common/check.h"

namespace tulip {
namespace {

absl::Status CheckBound(const char* unit, const char* flag, int64_t bound, int64_t waiting,
                        int64_t more) {
  if (waiting + more <= bound) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format("queue full: {} {} wait, {} more exceed {} ({})",
                                                  waiting, unit, more, flag, bound));
}

}  // namespace

absl::Status RequestQueue::Push(RequestList& one) {
  CHECK(one.size() == 1);
  const Request& request = one.front();
  RETURN_IF_ERROR(CheckBound("tokens", "--max-queue-tokens", limits_.max_queue_tokens, tokens_,
                             request.tokens()));
  RETURN_IF_ERROR(CheckBound("sequences", "--max-concurrent-requests",
                             limits_.max_concurrent_requests, sequences_, request.sequences()));
  tokens_ += request.tokens();
  sequences_ += request.sequences();
  turns_.Push(one);
  return absl::OkStatus();
}

void RequestQueue::Take(int64_t sequences, int64_t tokens, common::TimePoint now,
                        RequestList& ended) {
  Request& request = front();
  request.sequences_taken += sequences;
  request.tokens_taken += tokens;
  request.taken = now;
  sequences_ -= sequences;
  tokens_ -= tokens;
  turns_.Take(tokens, ended);
}

void RequestQueue::EndFront(Ending ending, RequestList& ended) {
  Discard(front(), ending);
  turns_.PopFront(ended);
}

void RequestQueue::Discard(Request& request, Ending ending) {
  request.ending = ending;
  sequences_ -= request.sequences() - request.sequences_taken;
  tokens_ -= request.tokens() - request.tokens_taken;
}

}  // namespace tulip
