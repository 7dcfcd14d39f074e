#include "rose/runtime/step_plan.h"

#include <algorithm>
#include <array>

#include "common/check.h"

namespace rose {
namespace {

/// Groups that a worker should find, so that one whose processor is taken away leaves work for the
/// others; and the fewest tokens worth a group: below, reading the weights costs as much as using
/// them.
constexpr int64_t kGroupsPerWorker = 4;
constexpr int64_t kGroupTokensMin = 128;
/// The longest share over the mean one, above which a team is sooner done.
constexpr double kUnevenMax = 1.2;

void CutGroups(std::span<const int32_t> cu_seqlens, int64_t group_tokens, StepPlan& plan) {
  plan.groups.clear();
  for (std::size_t s = 0; s + 1 < cu_seqlens.size(); ++s) {
    const int64_t tokens = cu_seqlens[s + 1] - cu_seqlens[s];
    if (plan.groups.empty() || plan.groups.back().tokens + tokens > group_tokens) {
      plan.groups.push_back({.sequence = static_cast<int64_t>(s), .token = cu_seqlens[s]});
    }
    StepPlan::Group& group = plan.groups.back();
    ++group.sequences;
    group.tokens += tokens;
  }
}

/// Tokens of the worker that is busy longest, if each takes the next group when it is free.
int64_t LongestShare(const StepPlan& plan, int workers) {
  constexpr int kWorkersMax = 256;
  std::array<int64_t, kWorkersMax> shares{};
  const auto end = shares.begin() + std::min(workers, kWorkersMax);
  for (const StepPlan::Group& group : plan.groups) {
    *std::min_element(shares.begin(), end) += group.tokens;
  }
  return *std::max_element(shares.begin(), end);
}

int64_t LongestGroup(const StepPlan& plan) {
  int64_t tokens = 0;
  for (const StepPlan::Group& group : plan.groups) tokens = std::max(tokens, group.tokens);
  return tokens;
}

}  // namespace

int64_t SideBySideTokens(int workers) {
  constexpr int64_t kGroupsEach = 2;
  return workers > 1 ? workers * kGroupsEach * kGroupTokensMin : 0;
}

void PlanStep(std::span<const int32_t> cu_seqlens, const StepLimits& limits, StepPlan& plan) {
  CHECK(cu_seqlens.size() > 1 && limits.workers > 0);
  const int64_t tokens = cu_seqlens.back();
  const int64_t group_tokens = std::clamp(tokens / (kGroupsPerWorker * limits.workers),
                                          kGroupTokensMin, limits.group_tokens_max);
  CutGroups(cu_seqlens, group_tokens, plan);
  const bool uneven = static_cast<double>(LongestShare(plan, limits.workers)) * limits.workers >
                      kUnevenMax * static_cast<double>(tokens);
  plan.as_team = uneven || LongestGroup(plan) > limits.group_tokens_max;
  if (plan.as_team) CutGroups(cu_seqlens, limits.group_tokens_max, plan);
}

}  // namespace rose
