#include "bench/closed_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <latch>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "bench/session.h"
#include "common/check.h"

namespace bench {
namespace {

constexpr int64_t kReservedLatencies = 1 << 16;

/// What the clients of a run share.
struct Run {
  std::latch warm;   ///< Opens when every client has warmed up, or failed to.
  std::latch go{1};  ///< Opens when they may measure.
  std::atomic<bool> failed{false};
};

class LoopClient {
 public:
  /// `remaining`: requests of the loop that no client has taken yet.
  LoopClient(const ClosedLoop& loop, std::unique_ptr<Session> session,
             std::atomic<int64_t>& remaining)
      : loop_(loop), session_(std::move(session)), remaining_(remaining) {
    times_.latencies.reserve(static_cast<size_t>(std::min(loop.requests, kReservedLatencies)));
  }

  /// The client's thread: warm-up, measure, over.
  void Operate(Run& run) {
    status_ = session_->WarmUp(loop_.warmup, loop_.duration);
    if (!status_.ok()) run.failed = true;
    run.warm.count_down();
    run.go.wait();
    times_.start = times_.end = common::Clock::Steady().Now();
    while (!run.failed && times_.end - times_.start < loop_.duration &&
           remaining_.fetch_sub(1) > 0) {
      status_ = Measure();
      if (!status_.ok()) run.failed = true;
    }
  }

  const absl::Status& status() const { return status_; }
  void AddTo(LoadSum& sum) const { sum.Add(*session_, times_); }

 private:
  absl::Status Measure() {
    ASSIGN_OR_RETURN(const common::Duration took, session_->Measure());
    times_.latencies.push_back(took);
    times_.end = common::Clock::Steady().Now();
    return absl::OkStatus();
  }

  const ClosedLoop& loop_;
  const std::unique_ptr<Session> session_;
  std::atomic<int64_t>& remaining_;
  ClientTimes times_;
  absl::Status status_;
};

/// The clients of one loop, which outlives them.
class Crowd {
 public:
  explicit Crowd(const ClosedLoop& loop) : loop_(loop), remaining_(loop.requests) {}

  absl::Status Open() {
    CHECK(loop_.clients > 0 && loop_.warmup > 0 && loop_.requests > 0);
    for (int i = 0; i < loop_.clients; ++i) {
      const uint64_t seed = loop_.seed * 1000 + static_cast<uint64_t>(i);
      ASSIGN_OR_RETURN(auto session, Session::Open(*loop_.target, loop_.workload, seed));
      clients_.push_back(std::make_unique<LoopClient>(loop_, std::move(session), remaining_));
    }
    return absl::OkStatus();
  }

  /// ResourceExhausted if not all could be started.
  absl::Status Start(Run& run, std::vector<std::thread>& threads) {
    try {
      for (const auto& client : clients_) {
        threads.emplace_back([&client, &run] { client->Operate(run); });
      }
    } catch (const std::system_error& error) {
      return absl::ResourceExhaustedError(
          fmt::format("{} clients, a thread each: {}", loop_.clients, error.what()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<LoadResult> Gather() const {
    LoadSum sum;
    for (const auto& client : clients_) {
      RETURN_IF_ERROR(client->status());
      client->AddTo(sum);
    }
    return std::move(sum).Result();
  }

 private:
  const ClosedLoop& loop_;
  std::atomic<int64_t> remaining_;
  std::vector<std::unique_ptr<LoopClient>> clients_;
};

}  // namespace

absl::StatusOr<std::vector<LoadResult>> RunClosedLoops(std::span<const ClosedLoop> loops,
                                                       const WarmedUp& warmed_up) {
  std::deque<Crowd> crowds;
  std::ptrdiff_t clients = 0;
  for (const ClosedLoop& loop : loops) {
    RETURN_IF_ERROR(crowds.emplace_back(loop).Open());
    clients += loop.clients;
  }
  Run run = {.warm = std::latch(clients)};
  std::vector<std::thread> threads;
  absl::Status started;
  for (Crowd& crowd : crowds) started.Update(crowd.Start(run, threads));
  if (started.ok()) {
    run.warm.wait();
    if (warmed_up) warmed_up();
  } else {
    run.failed = true;
  }
  run.go.count_down();
  for (std::thread& thread : threads) thread.join();
  RETURN_IF_ERROR(started);
  std::vector<LoadResult> results;
  for (const Crowd& crowd : crowds) {
    ASSIGN_OR_RETURN(results.emplace_back(), crowd.Gather());
  }
  return results;
}

absl::StatusOr<LoadResult> RunClosedLoop(const ClosedLoop& loop, const WarmedUp& warmed_up) {
  ASSIGN_OR_RETURN(std::vector<LoadResult> results, RunClosedLoops({&loop, 1}, warmed_up));
  return std::move(results.front());
}

}  // namespace bench
