#include <gtest/gtest.h>

#include <utility>

#include "bench/simulate/policy.h"
#include "bench/simulate/scenario.h"

namespace bench {
namespace {

TEST(Simulate, AQueryAloneTakesItsStepAndTheWay) {
  const Outcome outcome = Simulate(
      {.name = "idle", .load = 1e-4, .token_shares = {1, 0, 0}, .one_way_us = 100, .seconds = 20});
  const Latencies& queries = outcome.latencies[0];
  EXPECT_GT(queries.count, 10);
  EXPECT_NEAR(queries.p50_ms, 0.86, 1e-6);
}

TEST(Simulate, EveryPolicyDoesAllThatComes) {
  for (const std::string& policy : PolicyNames()) {
    const Outcome outcome =
        Simulate({.name = "all", .policy = policy, .replicas = 4, .load = 0.5, .seconds = 3});
    EXPECT_NEAR(outcome.tokens_per_s / (4 * kBudgetTokens / 0.0246), 0.5, 0.1) << policy;
    EXPECT_LE(outcome.most_utilisation, 1 + 1e-9) << policy;
  }
}

/// As docs/balancing.md has it: queries beside four clients that send batches without a pause.
TEST(Simulate, QueriesBesideBulkWaitForFewSteps) {
  for (const auto& [schedule, steps] :
       {std::pair(tulip::Schedule::kFcfs, 10), std::pair(tulip::Schedule::kFair, 4)}) {
    const Outcome outcome = Simulate({.name = "beside",
                                      .schedule = schedule,
                                      .gateways = 1,
                                      .load = 0.01,
                                      .token_shares = {1, 0, 0},
                                      .bulk_clients = 4,
                                      .seconds = 10});
    EXPECT_LE(outcome.latencies[0].p99_ms / kBudgetStepMs, steps) << ScheduleName(schedule);
    EXPECT_GT(outcome.utilisation, 0.99) << ScheduleName(schedule);
  }
}

TEST(Simulate, TheSameSeedGivesTheSame) {
  const Scenario scenario = {.name = "same", .replicas = 3, .seconds = 1};
  EXPECT_EQ(Simulate(scenario).latencies[1].p99_ms, Simulate(scenario).latencies[1].p99_ms);
}

}  // namespace
}  // namespace bench
