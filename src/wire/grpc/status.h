#pragma once

#include <grpcpp/support/status.h>

#include "common/status.h"

namespace wire {

/// One code for one code: the numbers are the same. A message of more than 1 KiB is cut, since it
/// travels in a header, for which there is a limit.
grpc::Status ToGrpcStatus(const absl::Status& status);
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace wire
