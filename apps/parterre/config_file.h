#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

/// parterre.toml: one key for each flag, by the flag's name without the dashes
/// (`max-batch-tokens = 8192`, `model = ["a=models/a", "b=models/b"]`). Values come back as the
/// flag would be written, several for an array. Tables and dates are refused by name.
using ConfigFile = std::map<std::string, std::vector<std::string>>;

/// Errors name the file with line and column of a syntax error, or the key.
absl::StatusOr<ConfigFile> ReadConfigFile(const std::filesystem::path& path);

/// The same of what a file called `name` holds.
absl::StatusOr<ConfigFile> ParseConfigFile(std::string_view text, const std::string& name);
