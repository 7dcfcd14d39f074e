#include "rose/cpu/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace rose::cpu {
namespace {

/// Counts how often each task ran.
class CountingJob final : public Job {
 public:
  explicit CountingJob(int tasks) : runs(static_cast<std::size_t>(tasks)) {}
  void RunTask(int task, WorkerPool&, int) override {
    runs[static_cast<std::size_t>(task)].fetch_add(1);
  }

  std::vector<std::atomic<int>> runs;
};

/// Leads the team through some rounds of summing.
class TeamJob final : public Job {
 public:
  explicit TeamJob(int rounds) : rounds_(rounds) {}

  void RunTask(int, WorkerPool& pool, int worker) override {
    WorkerPool::Lead lead(pool, worker);
    for (int round = 0; round < rounds_; ++round) {
      std::vector<int64_t> parts(static_cast<std::size_t>(1 + round % 9));
      lead.parallel().For(static_cast<int64_t>(parts.size()), [&](int64_t task, std::byte* own) {
        *own = std::byte{1};
        parts[static_cast<std::size_t>(task)] = task + round;
      });
      total += std::accumulate(parts.begin(), parts.end(), int64_t{0});
    }
  }

  int64_t Expected() const {
    int64_t sum = 0;
    for (int64_t round = 0; round < rounds_; ++round) {
      for (int64_t task = 0; task < 1 + round % 9; ++task) sum += task + round;
    }
    return sum;
  }

  int64_t total = 0;

 private:
  int rounds_;
};

class WorkerPoolTest : public testing::TestWithParam<int> {};

TEST_P(WorkerPoolTest, RunsEachTaskOnceStepAfterStep) {
  CountingJob first(17), second(3);
  WorkerPool pool(GetParam(), 64);
  constexpr int kSteps = 500;
  for (int step = 0; step < kSteps; ++step) {
    pool.Submit(first, 17);
    pool.Submit(second, 3);
    first.Wait();
    second.Wait();
    EXPECT_TRUE(first.Done() && second.Done());
  }
  for (const auto& runs : first.runs) EXPECT_EQ(runs.load(), kSteps);
  for (const auto& runs : second.runs) EXPECT_EQ(runs.load(), kSteps);
}

TEST_P(WorkerPoolTest, ATeamSharesEveryRound) {
  TeamJob job(2000);
  WorkerPool pool(GetParam(), 64);
  pool.Submit(job, 1);
  job.Wait();
  EXPECT_EQ(job.total, job.Expected());
}

TEST_P(WorkerPoolTest, TwoTeamJobsInFlightBothFinish) {
  TeamJob first(40), second(30);
  WorkerPool pool(GetParam(), 64);
  for (int i = 0; i < 50; ++i) {
    first.total = second.total = 0;
    pool.Submit(first, 1);
    pool.Submit(second, 1);
    second.Wait();
    first.Wait();
    EXPECT_EQ(first.total, first.Expected());
    EXPECT_EQ(second.total, second.Expected());
  }
}

TEST_P(WorkerPoolTest, SleepersWakeUp) {
  CountingJob job(1);
  WorkerPool pool(GetParam(), 64);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // Past the spinning.
    pool.Submit(job, 1);
    job.Wait();
  }
  EXPECT_EQ(job.runs[0].load(), 5);
}

INSTANTIATE_TEST_SUITE_P(Workers, WorkerPoolTest, testing::Values(1, 2, 3, 5));

TEST(TaskRoundTest, GivesEachTaskOnceAndNothingAfterwards) {
  TaskRound round;
  EXPECT_TRUE(round.Done());
  EXPECT_EQ(round.Claim(), -1);
  round.Open(2);
  EXPECT_EQ(round.Claim(), 0);
  EXPECT_EQ(round.Claim(), 1);
  EXPECT_EQ(round.Claim(), -1);
  round.Finish();
  EXPECT_FALSE(round.Done());
  round.Finish();
  EXPECT_TRUE(round.Done());
  round.Open(65535);
  EXPECT_EQ(round.Claim(), 0);
}

}  // namespace
}  // namespace rose::cpu
