#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace common {

using TraceId = std::array<uint8_t, 16>;
using SpanId = std::array<uint8_t, 8>;

/// Which trace a request belongs to, and the span that it comes from: W3C Trace Context,
/// https://www.w3.org/TR/trace-context-1/.
struct TraceContext {
  TraceId trace_id{};  ///< All 0: of no trace.
  SpanId span_id{};
  bool sampled = false;  ///< Whoever sent it records its spans.
  std::string state{};   ///< Its tracestate, passed on; "" if there is none.

  bool valid() const { return trace_id != TraceId{}; }
};

/// What the two headers say; of no trace if `traceparent` is malformed. A tracestate that is
/// malformed or has too many members is dropped; of a valid one the members that fit into 512
/// characters stay, from the left.
TraceContext ReadTraceContext(std::string_view traceparent, std::string_view tracestate);

/// The traceparent of a valid context.
std::string TraceParent(const TraceContext& context);

/// " (trace …)" of a valid context, for the log's line about a request; else "".
std::string TraceNote(const TraceContext& context);

}  // namespace common
