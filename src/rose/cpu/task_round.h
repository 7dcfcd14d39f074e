#pragma once

#include <atomic>
#include <cstdint>

namespace rose::cpu {

/// Tasks 0 … n−1, each given to one thread, round after round. A thread may Claim at any time,
/// however late: it gets a task of the current round or none.
class TaskRound {
 public:
  /// The owner's, when the round before is Done. 1 ≤ tasks ≤ 65535. What the owner wrote before is
  /// visible to whoever claims a task.
  void Open(int64_t tasks);
  /// A task that no other thread got, or −1. Each is followed by Finish.
  int64_t Claim();
  /// What the thread wrote before is visible to whoever sees Done.
  void Finish();

  bool Done() const { return unfinished_.load(std::memory_order_acquire) == 0; }
  /// Sleeps until Done.
  void Wait();

 private:
  // The ticket: round number (32 bits), tasks (16), next task (16), in one word so that a claim
  // checks all three at once. A number comes back after 4 billion rounds, far longer than any
  // thread sleeps between two of its instructions.
  std::atomic<uint64_t> ticket_{0};
  std::atomic<uint32_t> unfinished_{0};
};

}  // namespace rose::cpu
