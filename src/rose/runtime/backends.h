#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "common/status.h"
#include "hub/model_folder.h"
#include "rose/runtime/engine.h"

namespace rose {

/// A kind of device that this build can run on. A backend's maker
///   1. picks its instruction set or device and the dtype (ChooseDType, load.h),
///   2. makes its Backend and calls LoadModel (load.h),
///   3. fills the rest of the EngineInfo that DescribeModel (load.h) begins,
///   4. warms up, then calls MeasureBatchBudget (batch_budget.h).
struct BackendKind {
  std::string_view name;     ///< As --device spells it, without the number: "cpu".
  absl::Status (*usable)();  ///< OK, or why --device auto must not choose it on this machine.
  absl::StatusOr<std::unique_ptr<Engine>> (*make)(const hub::ModelFolder& folder,
                                                  const EngineOptions& options);
  absl::Status (*tune)(const hub::ModelFolder& folder, const EngineOptions& options);
};

/// Those built in, the preferred first.
std::span<const BackendKind> Backends();

/// The backend that `device` (auto | cpu | cuda:N) asks for; of auto, the first that is usable,
/// with a warning that says why none before it is. InvalidArgument names --device and what this
/// build offers.
absl::StatusOr<const BackendKind*> FindBackend(std::string_view device);

}  // namespace rose
