#include "bench/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace bench {
namespace {

std::string_view SkipSpace(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

/// The text behind the next `key` (quotes included) of an object, where its value starts; nullopt
/// if there is none. A string value that reads like the key is passed over: no colon follows it.
std::optional<std::string_view> ValueBehind(std::string_view key, std::string_view text) {
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key)) {
    text = SkipSpace(text.substr(at + key.size()));
    if (text.starts_with(':')) return SkipSpace(text.substr(1));
  }
  return std::nullopt;
}

/// Floats in the base64 string that starts at `value`; 0 if there is no such string.
int CountFloats(std::string_view value) {
  if (!value.starts_with('"')) return 0;
  const size_t end = value.find('"', 1);
  if (end == std::string_view::npos || (end - 1) % 4 != 0) return 0;
  const std::string_view encoded = value.substr(1, end - 1);
  const size_t padding = encoded.ends_with("==") ? 2 : encoded.ends_with('=') ? 1 : 0;
  const size_t bytes = encoded.size() / 4 * 3 - padding;
  return bytes % sizeof(float) == 0 ? static_cast<int>(bytes / sizeof(float)) : 0;
}

}  // namespace

absl::StatusOr<AnswerShape> ReadAnswer(std::string_view body) {
  AnswerShape shape;
  std::string_view rest = body;
  while (const std::optional<std::string_view> value = ValueBehind("\"embedding\"", rest)) {
    const int floats = CountFloats(*value);
    if (floats == 0) {
      return absl::DataLossError(fmt::format("row {}: expected float32 values in base64, got {}",
                                             shape.rows, value->substr(0, 40)));
    }
    if (shape.rows > 0 && floats != shape.dimensions) {
      return absl::DataLossError(fmt::format("row {}: {} dimensions, the rows before have {}",
                                             shape.rows, floats, shape.dimensions));
    }
    shape.dimensions = floats;
    ++shape.rows;
    rest = *value;
  }
  if (const auto tokens = ValueBehind("\"prompt_tokens\"", rest)) {
    std::from_chars(tokens->data(), tokens->data() + tokens->size(), shape.tokens);
  }
  return shape;
}

}  // namespace bench
