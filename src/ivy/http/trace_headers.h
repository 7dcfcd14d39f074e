#pragma once

#include "common/trace/trace_context.h"
#include "ivy/http/message.h"

namespace ivy {

/// What a request's traceparent and tracestate say; of no trace if there are several traceparents.
common::TraceContext TraceOf(const Request& request);

}  // namespace ivy
