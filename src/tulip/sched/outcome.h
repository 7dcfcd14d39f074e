#pragma once

#include <cstdint>
#include <span>

#include "common/clock.h"
#include "common/status.h"
#include "hub/outputs.h"
#include "rose/core/output_rows.h"
#include "tulip/sched/batch_plan.h"
#include "wire/inference.h"

namespace tulip {

/// What became of a plan's batch.
struct StepRows {
  const hub::PerOutput<rose::OutputRows>& outputs;  ///< At least those that the plan asks for.
  const hub::PerOutput<rose::OutputShape>& shapes;
  std::span<const int32_t> sparse_ids_left_out;
  common::Duration compute{};  ///< Handed to the engine → ready.
};

/// Gives each request of the plan the rows that it asked for. A value that is not finite fails its
/// request with Internal, a SequenceError, and no other. Returns how many sequences had
/// one. Plans come in the order in which they were formed.
int64_t RecordRows(const BatchPlan& plan, const StepRows& rows);

/// Fails every request that has a sequence in the plan.
void RecordFailure(const BatchPlan& plan, const absl::Status& status);

/// The one answer to a request that has ended and whose plans are all recorded. Takes the rows out
/// of it.
absl::StatusOr<wire::InferenceResult> TakeOutcome(Request& request);

}  // namespace tulip
