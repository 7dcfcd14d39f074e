#include "common/trace/trace_ids.h"

#include <cstring>

#include "common/random_id.h"

namespace common {

TraceId RandomTraceId() {
  const uint64_t halves[] = {RandomId(), RandomId()};
  TraceId id;
  std::memcpy(id.data(), halves, id.size());
  return id;
}

SpanId RandomSpanId() {
  const uint64_t number = RandomId();
  SpanId id;
  std::memcpy(id.data(), &number, id.size());
  return id;
}

}  // namespace common
