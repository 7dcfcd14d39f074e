#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/simulate/world.h"
#include "tulip/sched/schedule.h"

namespace bench {

/// What clients send.
enum class Kind {
  kQuery,  ///< One text of 32 tokens.
  kText,   ///< One of 512.
  kBatch,  ///< 100 of 512.
};
inline constexpr int kKinds = 3;
const char* KindName(Kind kind);

/// One simulated run.
struct Scenario {
  std::string name;
  std::string policy = "balancer";
  tulip::Schedule schedule = tulip::Schedule::kFcfs;
  int replicas = 1;
  int gateways = 4;
  double load = 0.8;  ///< Tokens that come in ÷ those that all replicas can do.
  /// Of the tokens: queries, texts, batches.
  std::array<double, kKinds> token_shares = {0.01, 0.19, 0.80};
  int bulk_clients = 0;   ///< Instead of batches as above: each sends one after the other.
  int slow_replicas = 0;  ///< Of them; they do not know that they are.
  double slowdown = 1;
  double one_way_us = 100;
  double seconds = 10;  ///< Measured; half as many pass before.
  uint64_t seed = 1;
};

struct Latencies {
  int64_t count = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double p999_ms = 0;
};

struct Outcome {
  std::array<Latencies, kKinds> latencies;
  double tokens_per_s = 0;
  double utilisation = 0;  ///< Mean share of the time that replicas compute.
  double least_utilisation = 0;
  double most_utilisation = 0;
};

/// µs of a step of so many tokens: a Qwen3-0.6B in bfloat16 on one H200.
const std::vector<std::pair<int64_t, int64_t>>& MeasuredCurve();
/// The batch budget that 0.95 of the best rate gives there, and the time of such a step.
inline constexpr int64_t kBudgetTokens = 12'800;
inline constexpr double kBudgetStepMs = 24.6;

Outcome Simulate(const Scenario& scenario);

}  // namespace bench
