#include "wire/grpc/call_span.h"

namespace wire {

void DescribeInfer(common::Span& span) {
  span.Set("rpc.system", "grpc").Set("rpc.service", "tulip.v1.Tulip").Set("rpc.method", "Infer");
}

void DescribeEnd(grpc::StatusCode code, common::Span& span) {
  span.Set("rpc.grpc.status_code", static_cast<int64_t>(code));
}

}  // namespace wire
