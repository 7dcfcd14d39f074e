#pragma once

#include <grpcpp/support/status.h>

#include "common/trace/span.h"

namespace wire {

constexpr char kInferSpan[] = "tulip.v1.Tulip/Infer";

/// What OpenTelemetry's conventions for calls say of an Infer, on either side.
void DescribeInfer(common::Span& span);
/// The same of its end.
void DescribeEnd(grpc::StatusCode code, common::Span& span);

}  // namespace wire
