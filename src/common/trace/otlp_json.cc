#include "common/trace/otlp_json.h"

#include <nlohmann/json.hpp>

#include "common/hex.h"

namespace common {
namespace {

using Json = nlohmann::json;

constexpr int kStatusError = 2;

Json ValueOf(const std::string& text) { return {{"stringValue", text}}; }
/// 64 bits are text in protobuf's JSON.
Json ValueOf(int64_t number) { return {{"intValue", std::to_string(number)}}; }

Json Attribute(std::string_view key, Json value) {
  return {{"key", key}, {"value", std::move(value)}};
}

std::string UnixNanoseconds(TimePoint time, std::chrono::nanoseconds epoch) {
  return std::to_string((time.time_since_epoch() + epoch).count());
}

Json SpanOf(const SpanRecord& span, std::chrono::nanoseconds epoch) {
  Json attributes = Json::array();
  for (const auto& [key, value] : span.attributes) {
    attributes.push_back(
        Attribute(key, std::visit([](const auto& held) { return ValueOf(held); }, value)));
  }
  Json json = {{"traceId", Hex(span.context.trace_id)},
               {"spanId", Hex(span.context.span_id)},
               {"name", span.name},
               {"kind", static_cast<int>(span.kind)},
               {"startTimeUnixNano", UnixNanoseconds(span.start, epoch)},
               {"endTimeUnixNano", UnixNanoseconds(span.end, epoch)},
               {"attributes", std::move(attributes)}};
  if (span.parent != SpanId{}) json["parentSpanId"] = Hex(span.parent);
  if (!span.context.state.empty()) json["traceState"] = span.context.state;
  if (span.failed) json["status"] = {{"code", kStatusError}, {"message", span.message}};
  return json;
}

}  // namespace

std::string OtlpJson(const TraceResource& resource, std::span<const SpanRecord> spans,
                     std::chrono::nanoseconds epoch) {
  Json attributes = Json::array();
  for (const auto& [key, value] : resource) attributes.push_back(Attribute(key, ValueOf(value)));
  Json list = Json::array();
  for (const SpanRecord& span : spans) list.push_back(SpanOf(span, epoch));
  Json scope = {{"scope", {{"name", "parterre"}}}, {"spans", std::move(list)}};
  Json resource_spans = {{"resource", {{"attributes", std::move(attributes)}}},
                         {"scopeSpans", Json::array({std::move(scope)})}};
  const Json body = {{"resourceSpans", Json::array({std::move(resource_spans)})}};
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace common
