#include "common/mutex.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace common {
namespace {

/// Two threads hand a turn to each other, each waiting as `asleep` (from now) says.
int64_t PlayTurns(Duration spin, int64_t turns) {
  struct Table {
    Mutex mutex;
    ConditionVariable changed;
    int64_t turn ABSL_GUARDED_BY(mutex) = 0;
  } table;
  const auto play = [&](int64_t parity) {
    for (int64_t mine = parity; mine < turns; mine += 2) {
      {
        const TimePoint asleep = Clock::Steady().Now() + spin;
        MutexLock lock(table.mutex);
        while (table.turn != mine) table.changed.WaitSpinning(lock, asleep);
        ++table.turn;
      }
      table.changed.NotifyOne();  // Without the lock: a change may be seen before it is notified.
    }
  };
  std::thread other([&] { play(1); });
  play(0);
  other.join();
  const MutexLock lock(table.mutex);
  return table.turn;
}

TEST(WaitSpinning, NoTurnIsLostWhileSpinningSleepingOrBetween) {
  for (const Duration spin :
       {Duration::zero(), Duration(std::chrono::microseconds(2)),
        Duration(std::chrono::microseconds(20)), Duration(std::chrono::hours(1))}) {
    EXPECT_EQ(PlayTurns(spin, 2000), 2000);
  }
}

}  // namespace
}  // namespace common
