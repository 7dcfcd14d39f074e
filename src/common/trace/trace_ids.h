#pragma once

#include "common/trace/trace_context.h"

namespace common {

// Of all processes together no two are the same, as good as surely, and none is all 0. Not for
// secrets. Any thread.
TraceId RandomTraceId();
SpanId RandomSpanId();

}  // namespace common
