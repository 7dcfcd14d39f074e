#include "ivy/http/service.h"

#include <fmt/format.h>

#include "common/log.h"
#include "ivy/http/request_id.h"
#include "ivy/http/trace_headers.h"

namespace ivy {
namespace {

constexpr char kRetryAfterSeconds[] = "1";

std::string_view NameOf(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kHead:
      return "HEAD";
    case Method::kPost:
      return "POST";
    case Method::kOptions:
      return "OPTIONS";
    case Method::kOther:
      break;
  }
  return "_OTHER";  // OpenTelemetry's word.
}

/// In the words of OpenTelemetry's conventions for HTTP servers.
void EndSpan(Exchange& exchange, const Response& response, common::TimePoint now) {
  if (!exchange.span.recorded()) return;
  const std::string_view method = NameOf(exchange.request.method);
  exchange.span.Name(fmt::format("{} {}", method, exchange.route->name))
      .Set("http.request.method", method)
      .Set("http.route", exchange.route->name)
      .Set("url.path", Excerpt(exchange.request.path))
      .Set("http.response.status_code", response.status)
      .Set("parterre.request_id", exchange.id);
  if (response.cause) exchange.span.Set("error.type", InfoOf(*response.cause).label);
  // What the client did wrong is no failure of ours.
  if (response.status >= 500) exchange.span.Fail("");
  exchange.span.End(now);
}

}  // namespace

Service::Service(ServiceOptions options, std::unique_ptr<Router> router)
    : options_(std::move(options)), cors_(options_.cors_origins), router_(std::move(router)) {}

void Service::Open(Exchange& exchange) {
  exchange.route = &router_->Find(exchange.request.path);
  exchange.id = RequestId(exchange.request.Find("x-request-id"));
  // Probes and scrapes would be most of the traces.
  const common::Tracer& tracer = exchange.route->open ? common::Tracer::Off() : *options_.tracer;
  exchange.span =
      tracer.Enter(TraceOf(exchange.request), common::SpanKind::kServer, exchange.started);
}

bool Service::Admit(Exchange& exchange) {
  if (exchange.request.method == Method::kOptions && router_->Knows(exchange.request.path)) {
    exchange.Answer(cors_.Preflight(exchange.request, exchange.route->Allow()));
    return false;
  }
  const absl::Status status = Check(exchange);
  if (!status.ok()) exchange.Fail(status);
  return status.ok();
}

absl::Status Service::Check(const Exchange& exchange) const {
  const Request& request = exchange.request;
  const Route& route = *exchange.route;
  if (!router_->Knows(request.path)) {
    return Failure(Cause::kRoute, fmt::format("no such route: {}", Excerpt(request.path)));
  }
  if (!route.open && options_.api_keys != nullptr &&
      !options_.api_keys->Admit(request.Find("authorization"))) {
    return Failure(Cause::kUnauthorized,
                   "the API key is missing or wrong; expected the header Authorization: Bearer "
                   "<key>");
  }
  if (route.Find(request.method) == nullptr) {
    return Failure(Cause::kMethod, fmt::format("method not allowed for {}, expected {}",
                                               Excerpt(request.path), route.Allow()));
  }
  const std::string_view encoding = request.Find("content-encoding");
  if (!encoding.empty() && encoding != "identity") {
    return Failure(Cause::kMediaType, "content-encoding: expected none or identity");
  }
  return absl::OkStatus();
}

void Service::Serve(const std::shared_ptr<Exchange>& exchange) {
  (*exchange->route->Find(exchange->request.method))(exchange);
}

Response Service::Tell(const Exchange& exchange, const absl::Status& failure) {
  const Cause cause = CauseOf(failure);
  const CauseInfo& info = InfoOf(cause);
  const Dialect dialect = exchange.route->dialect;
  Response response;
  response.status = dialect == Dialect::kTei ? info.tei_status : info.openai_status;
  response.cause = cause;
  response.body = ErrorBody(dialect, failure);
  if (cause == Cause::kMethod) response.headers.push_back({"allow", exchange.route->Allow()});
  if (cause == Cause::kOverloaded) response.headers.push_back({"retry-after", kRetryAfterSeconds});
  if (cause == Cause::kUnauthorized) response.headers.push_back({"www-authenticate", "Bearer"});
  if (cause == Cause::kBackend) {
    spdlog::warn("request {}{} on {} failed: {}", exchange.id,
                 TraceNote(exchange.span.trace().context), exchange.route->name,
                 std::string_view(failure.message().data(), failure.message().size()));
  }
  return response;
}

void Service::Seal(Exchange& exchange, Response& response) {
  const common::TimePoint now = common::Clock::Steady().Now();
  const common::Duration duration = now - exchange.started;
  exchange.route->metrics->Count(response, duration);
  response.headers.push_back({"x-request-id", exchange.id});
  const common::TraceContext& trace = exchange.span.trace().context;
  if (trace.valid()) response.headers.push_back({"traceparent", TraceParent(trace)});
  cors_.Stamp(exchange.request, response);
  EndSpan(exchange, response, now);
  if (spdlog::should_log(spdlog::level::debug)) {
    spdlog::debug("request {}{} on {}: {} in {:.3f} ms", exchange.id, TraceNote(trace),
                  exchange.route->name, response.status,
                  std::chrono::duration<double, std::milli>(duration).count());
  }
}

}  // namespace ivy
