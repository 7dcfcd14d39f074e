#include "rose/runtime/step_plan.h"

#include <gtest/gtest.h>

namespace rose {
namespace {

StepPlan Plan(const std::vector<int32_t>& lengths, const StepLimits& limits) {
  std::vector<int32_t> cu_seqlens{0};
  for (const int32_t n : lengths) cu_seqlens.push_back(cu_seqlens.back() + n);
  StepPlan plan;
  PlanStep(cu_seqlens, limits, plan);
  int64_t sequence = 0, token = 0;
  for (const StepPlan::Group& group : plan.groups) {  // Everything once, in order.
    EXPECT_EQ(group.sequence, sequence);
    EXPECT_EQ(group.token, token);
    EXPECT_GT(group.sequences, 0);
    sequence += group.sequences;
    token += group.tokens;
    EXPECT_EQ(token, cu_seqlens[static_cast<std::size_t>(sequence)]);
    EXPECT_TRUE(group.sequences == 1 || group.tokens <= limits.group_tokens_max);
  }
  EXPECT_EQ(sequence, static_cast<int64_t>(lengths.size()));
  return plan;
}

TEST(PlanStepTest, ALoneSequenceIsATeams) {
  const StepPlan plan = Plan({128}, {.workers = 2});
  EXPECT_TRUE(plan.as_team);
  EXPECT_EQ(plan.groups.size(), 1u);
}

TEST(PlanStepTest, ASequenceLongerThanAGroupIsOneAndATeams) {
  const StepPlan plan = Plan(std::vector<int32_t>(16, 600), {.workers = 2});
  EXPECT_EQ(plan.groups[0].tokens, 600);
  EXPECT_TRUE(plan.as_team);  // The workers' own arenas are for groups of 512.
}

TEST(PlanStepTest, ManySequencesRunSideBySide) {
  const StepPlan plan = Plan(std::vector<int32_t>(32, 128), {.workers = 2});
  EXPECT_FALSE(plan.as_team);
  EXPECT_EQ(plan.groups.size(), 8u);
}

TEST(PlanStepTest, UnevenOnesAreATeams) {
  EXPECT_TRUE(Plan({512, 16, 16}, {.workers = 2}).as_team);
  EXPECT_TRUE(Plan({128, 128, 128}, {.workers = 2}).as_team);
}

TEST(PlanStepTest, AnEvenPairRunsSideBySide) {
  EXPECT_FALSE(Plan({128, 128}, {.workers = 2}).as_team);
}

TEST(PlanStepTest, OneWorkerNeedsNoTeam) {
  EXPECT_FALSE(Plan({128}, {.workers = 1}).as_team);
  EXPECT_FALSE(Plan({1, 500, 3}, {.workers = 1}).as_team);
}

TEST(PlanStepTest, WhatIsToRunSideBySideDoesWithTwoGroupsEach) {
  for (const int workers : {2, 3, 16}) {
    const int64_t tokens = SideBySideTokens(workers);
    const StepPlan plan =
        Plan(std::vector<int32_t>(static_cast<std::size_t>(tokens / 64), 64), {.workers = workers});
    EXPECT_FALSE(plan.as_team);
    EXPECT_EQ(plan.groups.size(), 2 * static_cast<std::size_t>(workers));
  }
  EXPECT_EQ(SideBySideTokens(1), 0);
}

TEST(PlanStepTest, SingleTokens) { Plan(std::vector<int32_t>(1000, 1), {.workers = 3}); }

}  // namespace
}  // namespace rose
