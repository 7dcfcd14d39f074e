#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "common/status.h"
#include "common/trace/span_exporter.h"

namespace common {

struct OtlpUploaderOptions {
  /// http:// or https:// and HOST:PORT, perhaps a path; no user, query or fragment. /v1/traces is
  /// added.
  std::string endpoint;
  std::string user_agent;
  std::chrono::milliseconds timeout{10'000};  ///< Of one upload; a third of it to connect.
};

/// The way to an OTLP collector over HTTP, with JSON. A collector that is out of reach, or says
/// 429, 502, 503 or 504, is asked again later; whatever else it refuses is refused for good.
/// Proxies as the environment says. InvalidArgument: the endpoint is no such URL.
absl::StatusOr<std::unique_ptr<SpanUploader>> MakeOtlpUploader(const OtlpUploaderOptions& options);

}  // namespace common
