#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string_view>
#include <vector>

#include "common/json_view.h"

namespace text {

/// What a type of tokenizer.json is called, and who reads it.
template <typename T>
struct Type {
  std::string_view name;
  absl::StatusOr<T> (*read)(const common::JsonView& json);
};

/// Reads `json` as the one of `types` that its key "type" names.
template <typename T>
absl::StatusOr<T> ReadType(const common::JsonView& json, std::span<const Type<T>> types) {
  ASSIGN_OR_RETURN(const common::JsonView type, json.Member("type"));
  ASSIGN_OR_RETURN(const std::string_view name, type.AsString());
  std::vector<std::string_view> known;
  for (const Type<T>& entry : types) {
    if (entry.name == name) return entry.read(json);
    known.push_back(entry.name);
  }
  return type.Error(fmt::format("\"{}\" is not known; known: {}", name, fmt::join(known, ", ")));
}

}  // namespace text
