#include "common/trace/tracer.h"

#include <cstring>

#include "common/trace/trace_ids.h"

namespace common {

const Tracer& Tracer::Off() {
  static const Tracer off(nullptr);
  return off;
}

Span Tracer::Enter(const TraceContext& parent, SpanKind kind, TimePoint start) const {
  Trace trace = {.context = parent};
  if (sink_ == nullptr) return {parent, std::move(trace), start, kind};
  if (!parent.valid()) {
    trace.context.trace_id = RandomTraceId();
    trace.context.sampled = Chosen(trace.context.trace_id);
  }
  trace.context.span_id = RandomSpanId();
  if (trace.context.sampled) trace.sink = sink_;
  return {parent, std::move(trace), start, kind};
}

/// By the id itself, so that whoever else goes by it takes the same traces.
bool Tracer::Chosen(const TraceId& id) const {
  uint64_t low = 0;
  std::memcpy(&low, id.data() + 8, sizeof(low));
  return static_cast<double>(low >> 11) * 0x1p-53 < ratio_;
}

}  // namespace common
