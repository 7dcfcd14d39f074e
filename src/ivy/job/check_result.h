#pragma once

#include <span>

#include "ivy/job/job.h"

namespace ivy {

/// Whether a result is what the job asked for: every output there, one row for each of `inputs`
/// (indices of the job's), in the width that the model has told, all values finite. A replica may
/// be another program, so nothing is taken for granted. Internal, or Cause::kBackend with the path
/// of the input.
absl::Status CheckResult(const Job& job, std::span<const int32_t> inputs,
                         const wire::InferenceResult& result);

}  // namespace ivy
