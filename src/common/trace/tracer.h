#pragma once

#include "common/trace/span.h"

namespace common {

/// Where requests enter a process: decides which of them are recorded. Any thread.
class Tracer {
 public:
  /// `sink` outlives the tracer and all spans; null: nothing is recorded. Of traces that begin here
  /// this share is; of others those that are where they come from.
  explicit Tracer(SpanSink* sink, double sample_ratio = 1) : sink_(sink), ratio_(sample_ratio) {}

  /// Records nothing; never destroyed.
  static const Tracer& Off();

  /// The span of a request that came with `parent`. Without a valid one a new trace begins, unless
  /// nothing is recorded anyway: then what came is passed on as it is.
  Span Enter(const TraceContext& parent, SpanKind kind, TimePoint start) const;

 private:
  bool Chosen(const TraceId& id) const;

  SpanSink* const sink_;
  const double ratio_;
};

}  // namespace common
