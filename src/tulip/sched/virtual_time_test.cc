#include "tulip/sched/virtual_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tulip {
namespace {

TEST(VirtualTime, AllJobsHaveTheSameShareOfWhatIsTaken) {
  VirtualTime time;
  time.Join();
  time.Advance(10);
  EXPECT_EQ(time.now(), 10);
  time.Join();
  time.Advance(10);
  EXPECT_EQ(time.now(), 15);
}

TEST(VirtualTime, WhoLeavesAheadCountsUntilOvertaken) {
  VirtualTime time;
  time.Join();
  time.Join();
  time.Advance(10);
  time.Leave(10);  // Its share so far is 5.
  time.Advance(10);
  EXPECT_EQ(time.now(), 10);
  time.Advance(10);
  EXPECT_EQ(time.now(), 20);
}

TEST(VirtualTime, ALargeStepOvertakesWhereItWould) {
  VirtualTime time;
  time.Join();
  time.Join();
  time.Advance(4);
  time.Leave(4);
  time.Advance(20);
  EXPECT_EQ(time.now(), 20);  // Of 24 tokens the other has had all but 4.
}

TEST(VirtualTime, WhoLeavesBehindLeavesItsShareToTheOthers) {
  VirtualTime time;
  time.Join();
  time.Join();
  time.Advance(10);
  time.Leave(0);
  EXPECT_EQ(time.now(), 10);
}

TEST(VirtualTime, ResetBeginsAnew) {
  VirtualTime time;
  time.Join();
  time.Join();
  time.Advance(10);
  time.Leave(10);
  time.Reset();
  EXPECT_EQ(time.now(), 0);
  time.Join();
  time.Advance(7);
  EXPECT_EQ(time.now(), 7);
}

/// An ideal server, moved on by small amounts, that works on the jobs it has not done all of.
class FluidServer {
 public:
  double now() const { return now_; }
  void Push(std::size_t job, int64_t tokens) {
    if (job >= finish_.size()) finish_.resize(job + 1);
    finish_[job] = std::max(finish_[job], now_) + static_cast<double>(tokens);
  }
  void Advance(double tokens) {
    while (tokens > 1e-9) {
      int64_t active = 0;
      double next = 1e18;
      for (const double finish : finish_) {
        if (finish <= now_) continue;
        ++active;
        next = std::min(next, finish);
      }
      ASSERT_GT(active, 0);
      const double step = std::min(tokens / static_cast<double>(active), next - now_);
      now_ = step < next - now_ ? now_ + step : next;
      tokens -= step * static_cast<double>(active);
    }
  }

 private:
  double now_ = 0;
  std::vector<double> finish_;  ///< Virtual time when all of the job is done.
};

/// While nobody is behind, the mean of the tags is the ideal server's time.
TEST(VirtualTime, IsThatOfAnIdealServer) {
  std::mt19937 random(3);
  VirtualTime time;
  FluidServer fluid;
  time.Join();  // One that stays throughout.
  fluid.Push(0, 1'000'000'000);
  for (std::size_t job = 1; job < 2000; ++job) {
    const int64_t tokens = 1 + random() % 100;
    fluid.Push(job, tokens);
    time.Join();
    const double joined = time.now();
    time.Advance(tokens);
    time.Leave(joined + static_cast<double>(tokens));
    fluid.Advance(static_cast<double>(tokens));
    const int64_t more = random() % 200;
    time.Advance(more);
    fluid.Advance(static_cast<double>(more));
    ASSERT_NEAR(time.now(), fluid.now(), 1e-6 * fluid.now()) << job;
  }
}

}  // namespace
}  // namespace tulip
