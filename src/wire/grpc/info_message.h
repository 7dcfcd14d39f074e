#pragma once

#include "common/status.h"
#include "wire/inference.h"

namespace tulip::v1 {
class ModelInfo;
}

namespace wire {

/// Fills `message`, which is empty.
void FillInfo(const ModelInfo& info, tulip::v1::ModelInfo& message);

/// InvalidArgument names the field that says what no model can be: a size below 0, an output that
/// has none, a limit of nothing.
absl::StatusOr<ModelInfo> ReadInfo(const tulip::v1::ModelInfo& message);

}  // namespace wire
