#include "ivy/http/trace_headers.h"

namespace ivy {

common::TraceContext TraceOf(const Request& request) {
  const Header* parent = nullptr;
  std::string state;  // Several headers are one list.
  for (const Header& header : request.headers) {
    if (header.name == "traceparent") {
      if (parent != nullptr) return {};
      parent = &header;
    } else if (header.name == "tracestate") {
      if (!state.empty()) state += ',';
      state += header.value;
    }
  }
  return parent == nullptr ? common::TraceContext()
                           : common::ReadTraceContext(parent->value, state);
}

}  // namespace ivy
