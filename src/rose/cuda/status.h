#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "common/status.h"

namespace rose::cuda {

/// OK, or the error with `what` failed: ResourceExhausted for want of memory, Internal otherwise.
/// The error is no longer the thread's last one then: who asks for that later, as launches do, must
/// not be told of a call that has been dealt with.
absl::Status ToStatus(cudaError_t error, std::string_view what);

}  // namespace rose::cuda

/// Returns from a function that gives a Status (or StatusOr) if `call` failed.
#define RETURN_IF_CUDA_ERROR(call, what) RETURN_IF_ERROR(::rose::cuda::ToStatus((call), (what)))
