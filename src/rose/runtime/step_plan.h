#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rose {

/// How a CPU step is cut. Groups are runs of whole sequences that go through the model together.
struct StepPlan {
  struct Group {
    int64_t sequence = 0;  ///< The first.
    int64_t sequences = 0;
    int64_t token = 0;  ///< The first.
    int64_t tokens = 0;
  };
  /// One group after the other, each with all workers on every operation; else each group on one
  /// worker, side by side, with no operation shared.
  bool as_team = false;
  std::vector<Group> groups;
};

struct StepLimits {
  int workers = 1;
  /// No group is larger, unless it is one sequence, which a team then runs.
  int64_t group_tokens_max = 512;
};

/// The fewest tokens of short sequences of which every worker gets two groups, so that none waits
/// for another as a team's do; 0 where there is one worker.
int64_t SideBySideTokens(int workers);

/// Fills `plan`, whose vector keeps its memory. Side by side where the workers' shares come out
/// nearly even, since operations that are not shared need no waiting; else, for a lone sequence
/// above all, as a team.
void PlanStep(std::span<const int32_t> cu_seqlens, const StepLimits& limits, StepPlan& plan);

}  // namespace rose
