#include "common/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/file.h"

namespace common {
namespace {

constexpr int kDepthMax = 128;

/// Judged by the brackets outside of strings alone; where those say nothing, this is no JSON.
bool IsTooDeep(std::string_view bytes) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (in_string) {
      at += c == '\\';
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDepthMax) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<nlohmann::json> ParseJson(std::string_view bytes, std::string_view name) {
  // A first pass bounds the depth before any value is built, since what walks a value nested a
  // million deep would need a stack to match.
  if (IsTooDeep(bytes)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: nested deeper than {} levels", name, kDepthMax));
  }
  try {
    return nlohmann::json::parse(bytes);
  } catch (const nlohmann::json::parse_error& error) {
    return absl::InvalidArgumentError(fmt::format("{}: not JSON, at byte {}", name, error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    return absl::InvalidArgumentError(fmt::format("{}: has a number that no double holds", name));
  }
}

absl::StatusOr<nlohmann::json> ReadJsonFile(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  return ParseJson(bytes, path.filename().string());
}

}  // namespace common
