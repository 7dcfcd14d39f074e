#pragma once

#include "common/clock.h"
#include "common/status.h"
#include "tulip/sched/request.h"
#include "wire/inference.h"

namespace tulip {

/// When a step was where.
struct StepTimes {
  common::TimePoint launched;  ///< Handed to the engine.
  common::TimePoint ready;     ///< Its rows were there.
};

/// Records the stages of a request that has ended, below the span that it came with: "queue" and,
/// where it ran, "compute". `times`: of the plan that ended it.
void RecordSpans(const Request& request, const absl::StatusOr<wire::InferenceResult>& outcome,
                 const StepTimes& times);

}  // namespace tulip
