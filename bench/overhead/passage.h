#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/clock.h"

namespace bench {

/// Where a request comes by, in its order. No way passes them all.
enum class Mark {
  kSent,      ///< The HTTP client begins to send.
  kAsked,     ///< Ivy hands the chunk to its replica.
  kReceived,  ///< Tulip's service hands the request to its worker.
  kStepped,   ///< The engine thread calls Step.
  kAwaited,   ///< The completion thread calls Wait.
  kAnswered,  ///< The worker's callback.
  kReturned,  ///< Ivy's callback.
  kRead,      ///< The HTTP client has the whole answer.
};
constexpr std::size_t kMarks = 8;

/// When one request came by each mark; zero where it did not.
using Passage = std::array<common::TimePoint, kMarks>;

inline bool Passed(const Passage& passage, Mark mark) {
  return passage[static_cast<std::size_t>(mark)] != common::TimePoint();
}
inline common::TimePoint At(const Passage& passage, Mark mark) {
  return passage[static_cast<std::size_t>(mark)];
}

/// The passage of the request under way, of which there is one at a time. It may lie in memory that
/// processes share: they have the same clock. Any thread.
class Recorder {
 public:
  void Stamp(Mark mark) {
    times_[static_cast<std::size_t>(mark)].store(
        common::Clock::Steady().Now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  /// What was recorded; the next request begins with nothing.
  Passage Take() {
    Passage passage;
    for (std::size_t i = 0; i < kMarks; ++i) {
      passage[i] = common::TimePoint(common::Duration(times_[i].exchange(0)));
    }
    return passage;
  }

 private:
  std::array<std::atomic<common::Duration::rep>, kMarks> times_{};
};
static_assert(std::atomic<common::Duration::rep>::is_always_lock_free);

}  // namespace bench
