#include "common/mutex.h"

#include "common/pause.h"

namespace common {

void ConditionVariable::WaitSpinning(MutexLock& lock, TimePoint asleep) {
  constexpr int kPausesOfARound = 32;  // The clock is asked between rounds.
  if (Clock::Steady().Now() >= asleep) return Wait(lock);
  // Read with the lock: what was changed before, the caller has seen.
  const uint32_t seen = notifications_.load(std::memory_order_relaxed);
  const auto notified = [&] { return notifications_.load(std::memory_order_relaxed) != seen; };
  lock.lock_.unlock();
  while (!notified() && Clock::Steady().Now() < asleep) {
    for (int i = 0; i < kPausesOfARound && !notified(); ++i) Pause();
    Yield();
  }
  // The caller looks again before it sleeps: what changed may not be notified yet.
  lock.lock_.lock();
}

}  // namespace common
