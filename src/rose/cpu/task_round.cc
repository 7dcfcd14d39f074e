#include "rose/cpu/task_round.h"

#include "common/check.h"

namespace rose::cpu {

void TaskRound::Open(int64_t tasks) {
  CHECK(0 < tasks && tasks <= 0xffff) << tasks << " tasks";
  CHECK(Done());
  unfinished_.store(static_cast<uint32_t>(tasks), std::memory_order_relaxed);
  const uint64_t number = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
  ticket_.store(number << 32 | static_cast<uint64_t>(tasks) << 16, std::memory_order_release);
}

int64_t TaskRound::Claim() {
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while (true) {
    const uint64_t tasks = ticket >> 16 & 0xffff, next = ticket & 0xffff;
    if (next == tasks) return -1;
    if (ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
      return static_cast<int64_t>(next);
    }
  }
}

void TaskRound::Finish() {
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
}

void TaskRound::Wait() {
  for (uint32_t left; (left = unfinished_.load(std::memory_order_acquire)) != 0;) {
    unfinished_.wait(left, std::memory_order_acquire);
  }
}

}  // namespace rose::cpu
