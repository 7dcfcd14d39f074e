#pragma once

namespace tulip {

/// Whose sequences go first when more wait than a batch takes.
enum class Schedule {
  kFcfs,  ///< First come, first served.
  kFair,  ///< In turn between jobs, by tokens (tulip/sched/job_turns.h).
};

/// "fcfs", "fair".
constexpr const char* ScheduleName(Schedule schedule) {
  return schedule == Schedule::kFcfs ? "fcfs" : "fair";
}

}  // namespace tulip
