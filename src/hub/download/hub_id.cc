#include "hub/download/hub_id.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"

namespace hub {
namespace {

constexpr std::size_t kIdMax = 96;

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool IsIdPart(std::string_view part) {
  return !part.empty() && IsWord(part.front()) && IsWord(part.back()) &&
         std::all_of(part.begin(), part.end(),
                     [](char c) { return IsWord(c) || c == '-' || c == '.'; });
}

bool IsNameComponent(std::string_view component) {
  return !component.empty() && component != "." && component != ".." &&
         std::none_of(component.begin(), component.end(),
                      [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; });
}

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

bool IsHubId(std::string_view text) {
  // "--" is what the cache writes for the slash.
  if (text.size() > kIdMax || Holds(text, "--") || Holds(text, "..") || text.ends_with(".git")) {
    return false;
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsIdPart(text);
  return IsIdPart(text.substr(0, slash)) && IsIdPart(text.substr(slash + 1));
}

bool IsNameInside(std::string_view name) {
  for (std::size_t begin = 0;;) {
    const std::size_t slash = name.find('/', begin);
    if (!IsNameComponent(name.substr(begin, slash - begin))) return false;
    if (slash == std::string_view::npos) return true;
    begin = slash + 1;
  }
}

bool IsCommit(std::string_view text) {
  return text.size() == 40 &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isxdigit(c); });
}

}  // namespace hub
