#include "bench/open_loop.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bench/arrivals.h"
#include "bench/session.h"
#include "common/check.h"

namespace bench {
namespace {

/// All are drawn before the first is sent: 8 bytes each, and as many of its latency.
constexpr double kArrivalsMax = 1e8;
/// After which a client that waits for an arrival sees that another has failed.
constexpr auto kFailureSeen = std::chrono::milliseconds(500);

/// What the clients of a run share.
struct Run {
  const std::vector<common::Duration>& arrivals;
  std::latch warm;   ///< Opens when every client has warmed up, or failed to.
  std::latch go{1};  ///< Opens when they may send; `start` is set by then.
  common::TimePoint start{};
  std::atomic<size_t> next{0};  ///< The first arrival that no client has taken yet.
  std::atomic<bool> failed{false};
};

class OpenClient {
 public:
  OpenClient(std::unique_ptr<Session> session, int warmup)
      : session_(std::move(session)), warmup_(warmup) {}

  /// The client's thread: takes the next arrival, waits for its time, sends.
  void Operate(Run& run) {
    prctl(PR_SET_TIMERSLACK, 1);  // Nanoseconds; by default sleep may last 50 µs too long.
    status_ = session_->WarmUp(warmup_, common::Duration::max());
    if (!status_.ok()) run.failed = true;
    run.warm.count_down();
    run.go.wait();
    times_.start = times_.end = run.start;
    while (!run.failed) {
      const size_t index = run.next.fetch_add(1);
      if (index >= run.arrivals.size()) break;
      status_ = SendAt(run.start + run.arrivals[index], run.failed);
      if (!status_.ok()) run.failed = true;
    }
  }

  const absl::Status& status() const { return status_; }
  void AddTo(LoadSum& sum) const { sum.Add(*session_, times_); }
  int64_t waited() const { return waited_; }
  common::Duration longest_wait() const { return longest_wait_; }

 private:
  /// Sends nothing if another client fails meanwhile.
  absl::Status SendAt(common::TimePoint arrival, const std::atomic<bool>& failed) {
    const common::TimePoint taken = common::Clock::Steady().Now();
    // A client that was free before would have taken it before.
    if (taken > arrival) {
      ++waited_;
      longest_wait_ = std::max(longest_wait_, taken - arrival);
    }
    common::TimePoint sent = taken;
    for (; sent < arrival && !failed; sent = common::Clock::Steady().Now()) {
      std::this_thread::sleep_until(std::min(arrival, sent + kFailureSeen));
    }
    if (failed) return absl::OkStatus();
    ASSIGN_OR_RETURN(const common::Duration took, session_->Measure());
    times_.end = sent + took;
    times_.latencies.push_back(times_.end - arrival);
    return absl::OkStatus();
  }

  const std::unique_ptr<Session> session_;
  const int warmup_;
  ClientTimes times_;
  int64_t waited_ = 0;
  common::Duration longest_wait_{};
  absl::Status status_;
};

absl::StatusOr<std::vector<std::unique_ptr<OpenClient>>> OpenClients(const OpenLoop& loop) {
  CHECK(loop.connections > 0 && loop.warmup > 0);
  std::vector<std::unique_ptr<OpenClient>> clients;
  for (int i = 0; i < loop.connections; ++i) {
    const uint64_t seed = loop.seed * 1000 + static_cast<uint64_t>(i);
    ASSIGN_OR_RETURN(auto session, Session::Open(*loop.target, loop.workload, seed));
    clients.push_back(std::make_unique<OpenClient>(std::move(session), loop.warmup));
  }
  return clients;
}

/// ResourceExhausted if not all could be started.
absl::Status StartAll(const std::vector<std::unique_ptr<OpenClient>>& clients, Run& run,
                      std::vector<std::thread>& threads) {
  try {
    for (const auto& client : clients) {
      threads.emplace_back([&client, &run] { client->Operate(run); });
    }
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        fmt::format("{} clients, a thread each: {}", clients.size(), error.what()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OpenLoopResult> RunOpenLoop(const OpenLoop& loop, const WarmedUp& warmed_up) {
  const double duration_s = std::chrono::duration<double>(loop.duration).count();
  if (loop.rate_per_s * duration_s > kArrivalsMax) {
    return absl::InvalidArgumentError(
        fmt::format("{} requests a second for {} s: at most {} requests", loop.rate_per_s,
                    duration_s, kArrivalsMax));
  }
  const std::vector<common::Duration> arrivals =
      PoissonArrivals(loop.rate_per_s, loop.duration, loop.seed);
  if (arrivals.empty()) {
    return absl::FailedPreconditionError("no request arrives: the rate or the time is too small");
  }
  ASSIGN_OR_RETURN(const auto clients, OpenClients(loop));
  Run run = {.arrivals = arrivals, .warm = std::latch(loop.connections)};
  std::vector<std::thread> threads;
  const absl::Status started = StartAll(clients, run, threads);
  if (started.ok()) {
    run.warm.wait();
    if (warmed_up) warmed_up();
  } else {
    run.failed = true;
  }
  run.start = common::Clock::Steady().Now();
  run.go.count_down();
  for (std::thread& thread : threads) thread.join();
  RETURN_IF_ERROR(started);

  OpenLoopResult result = {.arrivals = static_cast<int64_t>(arrivals.size())};
  LoadSum sum;
  for (const auto& client : clients) {
    RETURN_IF_ERROR(client->status());
    client->AddTo(sum);
    result.waited += client->waited();
    result.longest_wait = std::max(result.longest_wait, client->longest_wait());
  }
  result.load = std::move(sum).Result();
  result.load.wall_s = std::max(result.load.wall_s, duration_s);
  return result;
}

}  // namespace bench
