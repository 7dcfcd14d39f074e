#include "ivy/http/api_key.h"

#include <cctype>
#include <cstddef>

namespace ivy {
namespace {

constexpr std::string_view kScheme = "bearer ";

bool HasScheme(std::string_view authorization) {
  if (authorization.size() < kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(authorization[i])) != kScheme[i]) return false;
  }
  return true;
}

}  // namespace

bool KeyMatches(std::string_view key, std::string_view authorization) {
  if (key.empty()) return true;
  if (!HasScheme(authorization)) return false;
  const std::string_view given = authorization.substr(kScheme.size());
  // The loop runs over what was given, so its time tells nothing about the key.
  unsigned difference = given.size() == key.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |=
        static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(key[i % key.size()]);
  }
  return difference == 0;
}

}  // namespace ivy
