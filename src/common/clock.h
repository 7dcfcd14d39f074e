#pragma once

#include <atomic>
#include <chrono>

namespace common {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// Monotonic time. Logic that depends on time takes a Clock so that tests run it on a virtual one.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint Now() const = 0;  ///< Any thread.

  /// The process's steady clock; never destroyed.
  static const Clock& Steady();
};

/// For tests: a clock that stands still until told otherwise. Any thread.
class VirtualClock final : public Clock {
 public:
  TimePoint Now() const override { return TimePoint(Duration(now_)); }
  void Advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<Duration::rep> now_{0};
};

}  // namespace common
