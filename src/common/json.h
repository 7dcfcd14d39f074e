#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "common/status.h"

namespace common {

/// Parses JSON that a file of a model folder holds (requests go through simdjson in ivy). `name`
/// stands in front of every error, e.g. "config.json". InvalidArgument: a syntax error or invalid
/// UTF-8 (with the byte offset), nesting deeper than 128. Of equal keys the last one wins.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view bytes, std::string_view name);

/// ReadFile (common/file.h), then ParseJson with the file's name.
absl::StatusOr<nlohmann::json> ReadJsonFile(const std::filesystem::path& path);

}  // namespace common
