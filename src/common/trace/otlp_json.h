#pragma once

#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/trace/span.h"

namespace common {

/// Who tells of the spans, in OpenTelemetry's words: {"service.name", "parterre-ivy"}.
using TraceResource = std::vector<std::pair<std::string, std::string>>;

/// The body of a POST to /v1/traces: OTLP 1's ExportTraceServiceRequest as JSON. `epoch`: what the
/// system's clock said when the steady one said 0. Bytes that are no UTF-8 are replaced.
std::string OtlpJson(const TraceResource& resource, std::span<const SpanRecord> spans,
                     std::chrono::nanoseconds epoch);

}  // namespace common
