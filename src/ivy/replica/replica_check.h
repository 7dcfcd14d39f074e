#pragma once

#include "common/status.h"
#include "wire/inference.h"

namespace ivy {

/// Whether a replica runs the model that is expected. What is empty or 0 in `expected` is not known
/// and not compared; it may give more outputs and take longer inputs. FailedPrecondition names what
/// differs.
absl::Status CheckReplica(const wire::ModelInfo& expected, const wire::ModelInfo& told);

/// Whether an answer has the rows that were asked for, as wide as `info` says. Unavailable: who
/// answers something else does not work.
absl::Status CheckAnswer(const wire::InferenceRequest& request, const wire::ModelInfo& info,
                         const wire::InferenceResult& result);

}  // namespace ivy
