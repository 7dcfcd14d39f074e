#pragma once

#include <cstdint>
#include <memory>

#include "common/clock.h"
#include "common/status.h"
#include "hub/outputs.h"
#include "rose/runtime/engine.h"
#include "tulip/sched/batch_buffer.h"
#include "tulip/sched/batch_plan.h"

namespace tulip {

/// A plan on its way through the engine. The engine thread forms and launches it, then the
/// completion thread waits for it and clears it: one thread at a time.
class Step {
 public:
  /// Hands the plan's batch to the engine; a plan without slices needs none. A failure is kept for
  /// Wait.
  void Launch(rose::Engine& engine, BatchBuffer& buffer, common::TimePoint now);

  /// Blocks until the rows are there: of each output that a request of the plan asks for, as many
  /// and as wide as `shapes` (the engine's) says; valid until Clear. ResourceExhausted if
  /// memory ran out, Internal if the engine threw anything else or gave another shape.
  absl::StatusOr<hub::PerOutput<rose::OutputRows>> Wait(
      const hub::PerOutput<rose::OutputShape>& shapes);

  /// Gives the rows back to the engine; keeps the plan's memory.
  void Clear();

  common::TimePoint launched() const { return launched_; }

  BatchPlan plan;

 private:
  std::unique_ptr<rose::LazyTensor> rows_;
  hub::Outputs outputs_;  ///< What the engine was asked for.
  absl::Status failure_;
  common::TimePoint launched_;
};

}  // namespace tulip
