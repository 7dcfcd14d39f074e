#pragma once

#include <memory>
#include <string>

#include "common/clock.h"
#include "common/metrics.h"
#include "common/status.h"
#include "common/trace/span_exporter.h"
#include "common/trace/tracer.h"

/// Where traces go, and which: flags of all programs that serve.
struct TraceOptions {
  std::string otlp_endpoint = {};      ///< "": no traces.
  std::string otlp_service_name = {};  ///< "": the program's.
  double trace_sample_ratio = 1;
};

/// Takes OpenTelemetry's own variables for the defaults, where they are set.
void ReadTraceEnvironment(TraceOptions& options);

/// A process's traces, from its parts to a collector. It outlives those parts.
class Tracing {
 public:
  /// `program`: what the collector calls it, unless the options say. `metrics` outlives it.
  /// InvalidArgument names the flag, or the variable.
  static absl::StatusOr<std::unique_ptr<Tracing>> Start(const TraceOptions& options,
                                                        const std::string& program,
                                                        common::Metrics& metrics);

  const common::Tracer& tracer() const { return tracer_; }
  /// Sends what waits, within a few seconds and not beyond the deadline. For when all is answered.
  void Shutdown(common::TimePoint deadline);

 private:
  Tracing(std::unique_ptr<common::SpanExporter> exporter, double sample_ratio)
      : exporter_(std::move(exporter)), tracer_(exporter_.get(), sample_ratio) {}

  const std::unique_ptr<common::SpanExporter> exporter_;  ///< Null: no traces.
  const common::Tracer tracer_;
};
