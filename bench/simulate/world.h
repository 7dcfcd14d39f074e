#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "common/clock.h"

namespace bench {

using common::Duration;
using common::TimePoint;

inline Duration Microseconds(double us) { return Duration(static_cast<int64_t>(us * 1000)); }
inline double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Simulated time: what is to happen happens in the order of its times, and of its planning where
/// they are the same.
class World {
 public:
  explicit World(uint64_t seed) : random(seed) {}

  TimePoint now() const { return now_; }
  void At(TimePoint time, std::function<void()> what) {
    events_.push({time, planned_++, std::move(what)});
  }
  void In(Duration delay, std::function<void()> what) { At(now_ + delay, std::move(what)); }
  void RunUntil(TimePoint end) {
    while (!events_.empty() && events_.top().time <= end) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      event.what();
    }
  }

  /// A number that nothing else is called.
  uint64_t Name() { return ++named_; }

  std::mt19937_64 random;

 private:
  struct Event {
    TimePoint time;
    uint64_t number;
    std::function<void()> what;
    bool operator<(const Event& other) const {  // Of a heap whose top is the first to come.
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };

  TimePoint now_{};
  uint64_t planned_ = 0;
  uint64_t named_ = 0;
  std::priority_queue<Event> events_;
};

}  // namespace bench
