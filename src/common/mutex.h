#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "common/clock.h"

// Locks whose use clang's thread-safety analysis checks (`make check`; Hutchins, Ballman and
// Sutherland, "C/C++ Thread Safety Analysis", SCAM 2014): what a lock guards is declared with
// ABSL_GUARDED_BY and touched with the lock alone; what calls gRPC, CUDA or foreign code can
// be declared with ABSL_LOCKS_EXCLUDED. absl::Mutex would serve too, but thread sanitizer,
// which does not see into the installed library, would take what it guards for races.

namespace common {

class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Holds a Mutex while it lives, but between Unlock and Lock.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() ABSL_UNLOCK_FUNCTION() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { lock_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { lock_.unlock(); }

 private:
  friend class ConditionVariable;
  std::unique_lock<std::mutex> lock_;
};

/// Waits with the lock given up and held again on return. It takes no predicate: the analysis does
/// not know that one would run with the lock, so the caller loops.
class ConditionVariable {
 public:
  void Wait(MutexLock& lock) { condition_.wait(lock.lock_); }
  /// False once `deadline` has passed; TimePoint::max() never does.
  bool WaitUntil(MutexLock& lock, TimePoint deadline) {
    // libstdc++'s conversion of clocks may overflow there.
    if (deadline == TimePoint::max()) return Wait(lock), true;
    return condition_.wait_until(lock.lock_, deadline) == std::cv_status::no_timeout;
  }
  /// Spins until `asleep`, from then on it is a Wait: who waits for little time is there at once,
  /// where a sleeping thread takes some ten microseconds to be woken, and more on a core that fell
  /// asleep with it.
  void WaitSpinning(MutexLock& lock, TimePoint asleep);
  void NotifyOne() {
    notifications_.fetch_add(1, std::memory_order_release);
    condition_.notify_one();
  }
  void NotifyAll() {
    notifications_.fetch_add(1, std::memory_order_release);
    condition_.notify_all();
  }

 private:
  std::condition_variable condition_;
  std::atomic<uint32_t> notifications_{0};  ///< What a spinning thread looks at.
};

}  // namespace common
