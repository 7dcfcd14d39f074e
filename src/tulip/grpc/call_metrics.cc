#include "tulip/grpc/call_metrics.h"

namespace tulip {
namespace {

/// As gRPC spells them, by number.
constexpr const char* kCodeNames[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

}  // namespace

CallMetrics::CallMetrics(common::Metrics* metrics, const char* method) {
  static_assert(std::size(kCodeNames) == kCodes);
  if (metrics == nullptr) return;
  for (std::size_t code = 0; code < kCodes; ++code) {
    calls_[code] = &metrics->Counter("parterre_grpc_calls_total", "gRPC calls answered",
                                     {{"method", method}, {"code", kCodeNames[code]}});
  }
}

void CallMetrics::Count(int code) {
  const auto index = static_cast<std::size_t>(code);
  if (index < kCodes && calls_[index] != nullptr) calls_[index]->Increment();
}

}  // namespace tulip
