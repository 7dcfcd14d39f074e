#include "ivy/api/json_body.h"

#include <fmt/format.h>

#include "ivy/api/json_fault.h"
#include "ivy/http/cause.h"
#include "ivy/http/message.h"

namespace ivy {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

static_assert(kBodyPadding >= simdjson::SIMDJSON_PADDING);

/// A parser keeps about 14 times the largest body it has seen, so large ones get their own.
constexpr std::size_t kSharedParserBytes = std::size_t{1} << 20;

absl::Status Refusal(const std::string& body, simdjson::error_code error) {
  if (error == simdjson::MEMALLOC) {
    return Failure(Cause::kOverloaded, "out of memory, try again later");
  }
  if (body.empty()) return Failure(Cause::kMalformed, "body: expected a JSON object, got nothing");
  const JsonFault fault = FindJsonFault(body);
  std::string what = "not JSON";
  if (error == simdjson::UTF8_ERROR) what = "not valid UTF-8";
  if (error == simdjson::STRING_ERROR) what = "not a string (a bad escape or a lone surrogate)";
  if (error == simdjson::NUMBER_ERROR) what = "not a number that fits 64 bits";
  if (error == simdjson::DEPTH_ERROR) what = "nested too deep";
  if (fault.byte) what += fmt::format(", at byte {}", *fault.byte);
  return Failure(Cause::kMalformed, fault.path.empty() ? "body" : fault.path, what);
}

}  // namespace

const char* KindOf(element value) {
  switch (value.type()) {
    case element_type::ARRAY:
      return "a list";
    case element_type::OBJECT:
      return "an object";
    case element_type::STRING:
      return "a string";
    case element_type::BOOL:
      return "a boolean";
    case element_type::NULL_VALUE:
      return "null";
    case element_type::DOUBLE:
    case element_type::INT64:
    case element_type::UINT64:
      return "a number";
  }
  return "something else";
}

absl::Status WrongType(std::string_view path, std::string_view expected, element value) {
  return Failure(Cause::kValidation, path,
                 fmt::format("expected {}, got {}", expected, KindOf(value)));
}

std::optional<element> FindField(simdjson::dom::object object, std::string_view key) {
  std::optional<element> found;
  for (const auto& field : object) {
    if (field.key == key) found = field.value;
  }
  if (found && found->is_null()) return std::nullopt;
  return found;
}

absl::StatusOr<JsonBody> JsonBody::Parse(const std::string& body) {
  thread_local simdjson::dom::parser shared;
  JsonBody parsed;
  if (body.size() > kSharedParserBytes) parsed.own_ = std::make_unique<simdjson::dom::parser>();
  simdjson::dom::parser& parser = parsed.own_ ? *parsed.own_ : shared;
  const bool must_copy = body.capacity() < body.size() + simdjson::SIMDJSON_PADDING;
  element root;
  const simdjson::error_code error = parser.parse(body.data(), body.size(), must_copy).get(root);
  if (error) return Refusal(body, error);
  if (root.get(parsed.fields_)) {
    return Failure(Cause::kMalformed, "body",
                   fmt::format("expected a JSON object, got {}", KindOf(root)));
  }
  return parsed;
}

absl::StatusOr<std::optional<std::string_view>> JsonBody::String(std::string_view key) const {
  const auto value = Find(key);
  if (!value) return std::nullopt;
  std::string_view text;
  if (value->get(text)) return WrongType(key, "a string", *value);
  return text;
}

absl::StatusOr<std::optional<bool>> JsonBody::Bool(std::string_view key) const {
  const auto value = Find(key);
  if (!value) return std::nullopt;
  bool flag = false;
  if (value->get(flag)) return WrongType(key, "true or false", *value);
  return flag;
}

absl::StatusOr<std::optional<JsonBody>> JsonBody::Object(std::string_view key) const {
  const auto value = Find(key);
  if (!value) return std::nullopt;
  JsonBody object;
  if (value->get(object.fields_)) return WrongType(key, "an object", *value);
  return object;
}

absl::StatusOr<std::optional<int64_t>> JsonBody::Int(std::string_view key, int64_t min,
                                                     int64_t max) const {
  const auto value = Find(key);
  if (!value) return std::nullopt;
  const std::string expected = fmt::format("an integer from {} to {}", min, max);
  int64_t number = 0;
  if (value->type() == element_type::DOUBLE) {
    return Failure(Cause::kValidation, key, fmt::format("expected {}, got a fraction", expected));
  }
  if (!value->is_number()) return WrongType(key, expected, *value);
  const bool too_large = value->get(number) != simdjson::SUCCESS;
  if (too_large || number < min || number > max) {
    return Failure(Cause::kValidation, key,
                   too_large ? fmt::format("expected {}, got more", expected)
                             : fmt::format("expected {}, got {}", expected, number));
  }
  return number;
}

}  // namespace ivy
