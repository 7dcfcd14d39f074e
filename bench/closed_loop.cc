#include "bench/closed_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/answer.h"
#include "bench/connection.h"
#include "common/check.h"
#include "common/clock.h"

namespace bench {
namespace {

// Different requests of one client, sent in turn. Few of large ones: making them takes time.
constexpr int kBodies = 40;
constexpr int kBatchBodies = 6;
constexpr size_t kQuotedBytes = 300;
constexpr int64_t kReservedLatencies = 1 << 16;

/// What the clients of a run share.
struct Run {
  std::latch warm;  ///< Opens when every client has warmed up, or failed to.
  std::atomic<bool> failed{false};
};

class Client {
 public:
  /// `remaining`: requests of the loop that no client has taken yet.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const ClosedLoop& loop, int index,
                                                        std::atomic<int64_t>& remaining) {
    ASSIGN_OR_RETURN(auto connection, Connection::Open(loop.url, loop.timeout));
    return std::unique_ptr<Client>(new Client(loop, index, remaining, std::move(connection)));
  }

  /// The client's thread: warm-up, measure, over.
  void Operate(Run& run) {
    status_ = WarmUp();
    if (!status_.ok()) run.failed = true;
    run.warm.arrive_and_wait();
    start_ = end_ = common::Clock::Steady().Now();
    while (!run.failed && end_ - start_ < duration_ && remaining_.fetch_sub(1) > 0) {
      status_ = Measure();
      if (!status_.ok()) run.failed = true;
    }
  }

  const absl::Status& status() const { return status_; }
  int dimensions() const { return dimensions_; }
  int64_t tokens() const { return tokens_; }
  common::TimePoint start() const { return start_; }
  common::TimePoint end() const { return end_; }
  const std::vector<common::Duration>& latencies() const { return latencies_; }

 private:
  Client(const ClosedLoop& loop, int index, std::atomic<int64_t>& remaining,
         std::unique_ptr<Connection> connection)
      : batch_(loop.workload.batch),
        tokens_least_(
            loop.workload.input == InputKind::kIds ? int64_t{batch_} * loop.workload.length : 0),
        warmup_(loop.warmup),
        duration_(loop.duration),
        remaining_(remaining),
        connection_(std::move(connection)) {
    const int count = batch_ == 1 ? kBodies : kBatchBodies;
    const uint64_t seed = loop.seed * 1000 + static_cast<uint64_t>(index);
    for (const std::string& body : MakeBodies(loop.workload, count, seed)) {
      requests_.push_back(EmbeddingsRequest(loop.url, body));
    }
    latencies_.reserve(static_cast<size_t>(std::min(loop.requests, kReservedLatencies)));
  }

  absl::Status WarmUp() {
    for (int i = 0; i < warmup_; ++i) {
      ASSIGN_OR_RETURN(dimensions_, SendNext());
    }
    tokens_ = 0;
    latencies_.clear();
    return absl::OkStatus();
  }

  absl::Status Measure() {
    ASSIGN_OR_RETURN(const int dimensions, SendNext());
    end_ = common::Clock::Steady().Now();
    if (dimensions != dimensions_) {
      return absl::DataLossError(
          fmt::format("an answer of {} dimensions after those of {}", dimensions, dimensions_));
    }
    return absl::OkStatus();
  }

  /// Sends one request and notes its latency and tokens. Returns the dimensions of its vectors.
  absl::StatusOr<int> SendNext() {
    const std::string& request = requests_[next_++ % requests_.size()];
    ASSIGN_OR_RETURN(const Exchange exchange, connection_->Post(request));
    if (exchange.status != 200) {
      return absl::FailedPreconditionError(
          fmt::format("status {}: {}", exchange.status, exchange.body.substr(0, kQuotedBytes)));
    }
    ASSIGN_OR_RETURN(const AnswerShape shape, ReadAnswer(exchange.body));
    if (shape.rows != batch_) {
      return absl::DataLossError(
          fmt::format("an answer of {} rows to a request of {} inputs", shape.rows, batch_));
    }
    if (shape.tokens > 0 && shape.tokens < tokens_least_) {
      return absl::DataLossError(
          fmt::format("an answer that counts {} tokens to a request of {}: "
                      "the server cuts inputs of this length",
                      shape.tokens, tokens_least_));
    }
    latencies_.push_back(exchange.took);
    tokens_ += shape.tokens;
    return shape.dimensions;
  }

  const int batch_;
  const int64_t tokens_least_;  ///< That an answer counts, if it counts any.
  const int warmup_;
  const common::Duration duration_;
  std::atomic<int64_t>& remaining_;
  const std::unique_ptr<Connection> connection_;
  std::vector<std::string> requests_;
  size_t next_ = 0;

  std::vector<common::Duration> latencies_;
  int64_t tokens_ = 0;
  int dimensions_ = 0;
  common::TimePoint start_, end_;
  absl::Status status_;
};

/// The clients of one loop.
class Crowd {
 public:
  explicit Crowd(const ClosedLoop& loop) : remaining_(loop.requests) {}

  absl::Status Open(const ClosedLoop& loop) {
    CHECK(loop.connections > 0 && loop.warmup > 0 && loop.requests > 0);
    for (int i = 0; i < loop.connections; ++i) {
      ASSIGN_OR_RETURN(clients_.emplace_back(), Client::Create(loop, i, remaining_));
    }
    return absl::OkStatus();
  }

  void Start(Run& run, std::vector<std::thread>& threads) {
    for (const auto& client : clients_) {
      threads.emplace_back([&client, &run] { client->Operate(run); });
    }
  }

  absl::Status status() const {
    for (const auto& client : clients_) RETURN_IF_ERROR(client->status());
    return absl::OkStatus();
  }
  LoopResult Gather() const;

 private:
  std::atomic<int64_t> remaining_;
  std::vector<std::unique_ptr<Client>> clients_;
};

LoopResult Crowd::Gather() const {
  LoopResult result;
  result.dimensions = clients_.front()->dimensions();
  common::TimePoint start = clients_.front()->start(), end = clients_.front()->end();
  std::vector<common::Duration> latencies;
  for (const std::unique_ptr<Client>& client : clients_) {
    latencies.insert(latencies.end(), client->latencies().begin(), client->latencies().end());
    result.tokens += client->tokens();
    start = std::min(start, client->start());
    end = std::max(end, client->end());
  }
  result.latency = Summarize(std::move(latencies));
  result.wall_s = std::chrono::duration<double>(end - start).count();
  return result;
}

}  // namespace

absl::StatusOr<std::vector<LoopResult>> RunClosedLoops(std::span<const ClosedLoop> loops) {
  std::deque<Crowd> crowds;
  std::ptrdiff_t clients = 0;
  for (const ClosedLoop& loop : loops) {
    RETURN_IF_ERROR(crowds.emplace_back(loop).Open(loop));
    clients += loop.connections;
  }
  Run run = {.warm = std::latch(clients)};
  std::vector<std::thread> threads;
  for (Crowd& crowd : crowds) crowd.Start(run, threads);
  for (std::thread& thread : threads) thread.join();
  std::vector<LoopResult> results;
  for (const Crowd& crowd : crowds) {
    RETURN_IF_ERROR(crowd.status());
    results.push_back(crowd.Gather());
  }
  return results;
}

absl::StatusOr<LoopResult> RunClosedLoop(const ClosedLoop& loop) {
  ASSIGN_OR_RETURN(const std::vector<LoopResult> results, RunClosedLoops({&loop, 1}));
  return results.front();
}

}  // namespace bench
