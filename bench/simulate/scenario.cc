#include "bench/simulate/scenario.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "bench/simulate/gateway.h"

namespace bench {
namespace {

struct Shape {
  std::size_t texts;
  int32_t tokens;
};

Shape ShapeOf(Kind kind) {
  switch (kind) {
    case Kind::kQuery:
      return {1, 32};
    case Kind::kText:
      return {1, 512};
    case Kind::kBatch:
      return {100, 512};
  }
  return {1, 1};
}

double Percentile(std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

Latencies Summarize(std::vector<double> ms) {
  if (ms.empty()) return {};
  std::sort(ms.begin(), ms.end());
  return {.count = std::ssize(ms),
          .p50_ms = Percentile(ms, 0.5),
          .p99_ms = Percentile(ms, 0.99),
          .p999_ms = Percentile(ms, 0.999)};
}

class Simulation {
 public:
  explicit Simulation(const Scenario& scenario)
      : scenario_(scenario),
        world_(scenario.seed),
        begin_(Microseconds(scenario.seconds * 0.5e6)),
        end_(begin_ + Microseconds(scenario.seconds * 1e6)) {
    for (int i = 0; i < scenario.replicas; ++i) {
      const double slowdown = i < scenario.slow_replicas ? scenario.slowdown : 1;
      replicas_.push_back(std::make_unique<StepServer>(
          world_, StepServerOptions{.curve = ivy::BatchCurve(MeasuredCurve()),
                                    .budget_tokens = kBudgetTokens,
                                    .schedule = scenario.schedule,
                                    .slowdown = slowdown}));
    }
    for (int i = 0; i < scenario.gateways; ++i) {
      gateways_.push_back(std::make_unique<Gateway>(
          world_, replicas_,
          MakePolicy(scenario.policy, scenario.replicas, MeasuredCurve(), world_.random()),
          GatewayOptions{.chunk_tokens = kBudgetTokens,
                         .one_way = Microseconds(scenario.one_way_us)}));
    }
  }

  Outcome Run() {
    for (const Kind kind : {Kind::kQuery, Kind::kText, Kind::kBatch}) {
      if (kind != Kind::kBatch || scenario_.bulk_clients == 0) Arrive(kind);
    }
    for (int i = 0; i < scenario_.bulk_clients; ++i) Bulk(i);
    world_.RunUntil(begin_);
    const std::vector<std::unique_ptr<StepServer>>& replicas = replicas_;
    std::vector<Duration> busy;
    int64_t tokens = 0;
    for (const auto& replica : replicas) {
      busy.push_back(replica->busy());
      tokens -= replica->tokens();
    }
    world_.RunUntil(end_);
    Outcome outcome;
    std::vector<double> shares;
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      shares.push_back(Seconds(replicas[i]->busy() - busy[i]) / scenario_.seconds);
      outcome.utilisation += shares.back() / static_cast<double>(replicas.size());
      tokens += replicas[i]->tokens();
    }
    outcome.tokens_per_s = static_cast<double>(tokens) / scenario_.seconds;
    outcome.least_utilisation = *std::min_element(shares.begin(), shares.end());
    outcome.most_utilisation = *std::max_element(shares.begin(), shares.end());
    // What has come in is answered.
    world_.RunUntil(end_ + std::chrono::seconds(60));
    for (std::size_t i = 0; i < kKinds; ++i) outcome.latencies[i] = Summarize(std::move(ms_[i]));
    return outcome;
  }

 private:
  /// The next request of a kind, and all after it: a Poisson process over all gateways.
  void Arrive(Kind kind) {
    const Shape shape = ShapeOf(kind);
    const double capacity = static_cast<double>(kBudgetTokens) / (kBudgetStepMs / 1000) *
                            (static_cast<double>(scenario_.replicas - scenario_.slow_replicas) +
                             scenario_.slow_replicas / scenario_.slowdown);
    const double rate = scenario_.load * capacity *
                        scenario_.token_shares[static_cast<std::size_t>(kind)] /
                        (static_cast<double>(shape.texts) * shape.tokens);
    if (rate <= 0) return;
    const double wait = std::exponential_distribution<double>(rate)(world_.random);
    const TimePoint time = world_.now() + Microseconds(wait * 1e6);
    if (time >= end_) return;
    world_.At(time, [this, kind] {
      Start(kind, world_.random() % gateways_.size(), [] {});
      Arrive(kind);
    });
  }

  void Bulk(int client) {
    if (world_.now() >= end_) return;
    Start(Kind::kBatch, static_cast<std::size_t>(client) % gateways_.size(),
          [this, client] { Bulk(client); });
  }

  void Start(Kind kind, std::size_t gateway, const std::function<void()>& then) {
    const Shape shape = ShapeOf(kind);
    const TimePoint began = world_.now();
    gateways_[gateway]->Run(
        std::vector<int32_t>(shape.texts, shape.tokens), [this, kind, began, then] {
          if (began >= begin_ && began < end_) {
            ms_[static_cast<std::size_t>(kind)].push_back(Seconds(world_.now() - began) * 1000);
          }
          then();
        });
  }

  const Scenario scenario_;
  World world_;
  const TimePoint begin_;
  const TimePoint end_;
  Gateway::Replicas replicas_;
  std::vector<std::unique_ptr<Gateway>> gateways_;
  std::array<std::vector<double>, kKinds> ms_;
};

}  // namespace

const char* KindName(Kind kind) {
  switch (kind) {
    case Kind::kQuery:
      return "query";
    case Kind::kText:
      return "text";
    case Kind::kBatch:
      return "batch";
  }
  return "unknown";
}

const std::vector<std::pair<int64_t, int64_t>>& MeasuredCurve() {
  static const std::vector<std::pair<int64_t, int64_t>> curve = {
      {32, 660}, {128, 1045}, {512, 1450}, {4096, 12'600}, {12'800, 24'600}, {51'200, 93'600}};
  return curve;
}

Outcome Simulate(const Scenario& scenario) { return Simulation(scenario).Run(); }

}  // namespace bench
