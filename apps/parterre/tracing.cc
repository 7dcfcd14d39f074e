#include "tracing.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/otlp/otlp_uploader.h"

namespace {

/// A collector that is there takes what waits in far less.
constexpr std::chrono::seconds kFlush(3);

constexpr char kEndpointVariable[] = "OTEL_EXPORTER_OTLP_ENDPOINT";

void TakeVariable(const char* name, std::string& value) {
  if (const char* const set = std::getenv(name); set != nullptr) value = set;
}

/// What said so: the flag, whose default is the variable.
std::string SourceOf(const std::string& endpoint) {
  const char* const variable = std::getenv(kEndpointVariable);
  const bool said = variable != nullptr && endpoint == variable;
  return said ? absl::StrCat("$", kEndpointVariable) : "--otlp-endpoint";
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

void ReadTraceEnvironment(TraceOptions& options) {
  TakeVariable(kEndpointVariable, options.otlp_endpoint);
  TakeVariable("OTEL_SERVICE_NAME", options.otlp_service_name);
}

absl::StatusOr<std::unique_ptr<Tracing>> Tracing::Start(const TraceOptions& options,
                                                        const std::string& program,
                                                        common::Metrics& metrics) {
  if (options.otlp_endpoint.empty()) {
    return std::unique_ptr<Tracing>(new Tracing(nullptr, options.trace_sample_ratio));
  }
  auto uploader = common::MakeOtlpUploader(
      {.endpoint = options.otlp_endpoint, .user_agent = "parterre/" PARTERRE_VERSION});
  if (!uploader.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(SourceOf(options.otlp_endpoint), ": ", uploader.status().message()));
  }
  const std::string& name = options.otlp_service_name;
  const common::TraceResource resource = {{"service.name", name.empty() ? program : name},
                                          {"service.version", PARTERRE_VERSION},
                                          {"host.name", HostName()},
                                          {"process.pid", std::to_string(getpid())}};
  spdlog::info("traces go to {}", options.otlp_endpoint);
  return std::unique_ptr<Tracing>(
      new Tracing(std::make_unique<common::SpanExporter>(*std::move(uploader), resource,
                                                         common::SpanExporterOptions(), metrics),
                  options.trace_sample_ratio));
}

void Tracing::Shutdown(common::TimePoint deadline) {
  if (exporter_ == nullptr) return;
  exporter_->Shutdown(std::min(deadline, common::Clock::Steady().Now() + kFlush));
}
