#include "ivy/http/cause.h"

#include "absl/strings/cord.h"
#include "common/check.h"
#include "ivy/http/json_writer.h"

namespace ivy {
namespace {

using absl::StatusCode;

constexpr char kCauseUrl[] = "parterre/cause";
constexpr char kParamUrl[] = "parterre/param";
constexpr char kInvalid[] = "invalid_request_error";
constexpr char kServer[] = "server_error";

// TEI's types and statuses: router/src/http/server.rs of text-embeddings-inference 1.9.3.
constexpr CauseInfo kTable[kCauses] = {
    {Cause::kMalformed, "malformed", StatusCode::kInvalidArgument, 400, kInvalid, nullptr, 400,
     "Validation"},
    {Cause::kValidation, "validation", StatusCode::kInvalidArgument, 400, kInvalid, nullptr, 422,
     "Validation"},
    {Cause::kEmpty, "empty", StatusCode::kInvalidArgument, 400, kInvalid, nullptr, 400, "Empty"},
    {Cause::kTooManyItems, "batch_size", StatusCode::kInvalidArgument, 400, kInvalid, nullptr, 422,
     "Validation"},
    {Cause::kTooLong, "too_long", StatusCode::kInvalidArgument, 400, kInvalid,
     "context_length_exceeded", 422, "Validation"},
    {Cause::kModel, "model", StatusCode::kNotFound, 404, kInvalid, "model_not_found", 404,
     "Validation"},
    {Cause::kModelKind, "model_type", StatusCode::kFailedPrecondition, 400, kInvalid,
     "model_not_supported", 424, "Backend"},
    {Cause::kUnauthorized, "unauthorized", StatusCode::kUnauthenticated, 401, kInvalid,
     "invalid_api_key", 401, "Unauthorized"},
    {Cause::kRoute, "route", StatusCode::kNotFound, 404, kInvalid, "unknown_url", 404, "NotFound"},
    {Cause::kMethod, "method", StatusCode::kUnimplemented, 405, kInvalid, "method_not_supported",
     405, "MethodNotAllowed"},
    {Cause::kPayload, "payload", StatusCode::kOutOfRange, 413, kInvalid, "payload_too_large", 413,
     "Validation"},
    {Cause::kMediaType, "media_type", StatusCode::kInvalidArgument, 415, kInvalid,
     "unsupported_media_type", 415, "Validation"},
    {Cause::kHeaders, "headers", StatusCode::kOutOfRange, 431, kInvalid, "headers_too_large", 431,
     "Validation"},
    {Cause::kSlowClient, "slow_client", StatusCode::kDeadlineExceeded, 408, kInvalid,
     "request_timeout", 408, "Validation"},
    {Cause::kOverloaded, "overloaded", StatusCode::kResourceExhausted, 429, "rate_limit_error",
     "rate_limit_exceeded", 429, "Overloaded"},
    {Cause::kDeadline, "deadline", StatusCode::kDeadlineExceeded, 504, kServer, "timeout", 504,
     "Timeout"},
    {Cause::kUnhealthy, "unhealthy", StatusCode::kUnavailable, 503, kServer, "unavailable", 503,
     "Unhealthy"},
    {Cause::kBackend, "inference", StatusCode::kInternal, 500, kServer, nullptr, 424, "Backend"},
    {Cause::kCancelled, "cancelled", StatusCode::kCancelled, 499, kInvalid, "client_closed_request",
     499, "Cancelled"},
    {Cause::kUnsupported, "unsupported", StatusCode::kUnimplemented, 501, kInvalid,
     "not_implemented", 501, "Validation"},
};

constexpr bool TableIsInOrder() {
  for (int i = 0; i < kCauses; ++i) {
    if (static_cast<int>(kTable[i].cause) != i) return false;
  }
  return true;
}
static_assert(TableIsInOrder());

/// What a status without a cause of its own means: one that the inference client gave. The request
/// was checked before it was sent, so a complaint about it is a fault of ours: kBackend.
Cause CauseOfCode(absl::StatusCode code) {
  switch (code) {
    case StatusCode::kResourceExhausted:
      return Cause::kOverloaded;
    case StatusCode::kDeadlineExceeded:
      return Cause::kDeadline;
    case StatusCode::kCancelled:
      return Cause::kCancelled;
    case StatusCode::kUnavailable:
      return Cause::kUnhealthy;
    default:
      return Cause::kBackend;
  }
}

}  // namespace

const CauseInfo& InfoOf(Cause cause) { return kTable[static_cast<int>(cause)]; }

absl::Status Failure(Cause cause, std::string_view param, std::string_view message) {
  absl::Status status(InfoOf(cause).code, {message.data(), message.size()});
  status.SetPayload(kCauseUrl, absl::Cord(std::string(1, static_cast<char>(cause))));
  if (!param.empty()) status.SetPayload(kParamUrl, absl::Cord(std::string(param)));
  return status;
}

std::string_view Excerpt(std::string_view text) {
  constexpr std::size_t kBytesMax = 80;
  if (text.size() <= kBytesMax) return text;
  std::size_t end = kBytesMax;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // a continuation byte
  return text.substr(0, end);
}

Cause CauseOf(const absl::Status& status) {
  CHECK(!status.ok());
  if (const auto payload = status.GetPayload(kCauseUrl)) {
    return static_cast<Cause>(std::string(*payload)[0]);
  }
  return CauseOfCode(status.code());
}

std::string ParamOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kParamUrl);
  return payload ? std::string(*payload) : std::string();
}

std::string ErrorBody(Dialect dialect, const absl::Status& status) {
  const CauseInfo& info = InfoOf(CauseOf(status));
  const std::string param = ParamOf(status);
  std::string message(status.message());
  if (!param.empty()) message = param + ": " + message;
  std::string body;
  JsonWriter json(body);
  json.BeginObject();
  if (dialect == Dialect::kTei) {
    json.Key("error").String(message).Key("error_type").String(info.tei_type);
  } else {
    json.Key("error").BeginObject();
    json.Key("message").String(message).Key("type").String(info.openai_type).Key("param");
    param.empty() ? json.Null() : json.String(param);
    json.Key("code");
    info.openai_code == nullptr ? json.Null() : json.String(info.openai_code);
    json.EndObject();
  }
  json.EndObject();
  return body;
}

}  // namespace ivy
