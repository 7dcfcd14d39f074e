// What forming a batch costs, by schedule, jobs that wait and sequences of each: nanoseconds of
// this thread's processor time for a sequence taken, the fastest of some rounds.

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <vector>

#include "tulip/sched/batch_former.h"
#include "tulip/sched/make_request.h"

namespace {

constexpr int32_t kLength = 32;
constexpr int64_t kBudget = int64_t{400} * kLength;
constexpr int64_t kUnbounded = int64_t{1} << 40;
constexpr int kRounds = 20;

double ProcessorNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// From `jobs` waiting until all has been taken.
double NanosecondsPerSequence(tulip::Schedule schedule, int jobs, int sequences) {
  double best = std::numeric_limits<double>::max();
  tulip::RequestQueue queue({.max_queue_tokens = kUnbounded, .max_concurrent_requests = kUnbounded},
                            schedule);
  tulip::BatchFormer former(kBudget, kUnbounded);
  tulip::BatchPlan plan;
  for (int round = 0; round < kRounds; ++round) {
    for (int job = 1; job <= jobs; ++job) {
      wire::InferenceRequest request =
          tulip::MakeRequest(std::vector<int32_t>(static_cast<std::size_t>(sequences), kLength));
      request.job = static_cast<uint64_t>(job);
      tulip::RequestList one = tulip::ListOfOne(std::move(request));
      if (!queue.Push(one).ok()) return 0;
    }
    double took = 0;
    while (!queue.empty()) {
      const double begin = ProcessorNanoseconds();
      former.Form(queue, {}, plan);
      took += ProcessorNanoseconds() - begin;
      plan.Clear();  // Requests end where they are answered, which is elsewhere.
    }
    best = std::min(best, took / (static_cast<double>(jobs) * sequences));
  }
  return best;
}

}  // namespace

int main() {
  fmt::print("| jobs that wait | sequences of each | fcfs, ns | fair, ns |\n");
  fmt::print("| --- | --- | --- | --- |\n");
  for (const int jobs : {10, 100, 1000, 8000}) {
    for (const int sequences : {1, 64}) {
      fmt::print("| {} | {} | {:.0f} | {:.0f} |\n", jobs, sequences,
                 NanosecondsPerSequence(tulip::Schedule::kFcfs, jobs, sequences),
                 NanosecondsPerSequence(tulip::Schedule::kFair, jobs, sequences));
    }
  }
  return 0;
}
