#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace ivy {

/// What an API key is. Commas separate several in an environment variable.
inline constexpr char kApiKeyForm[] = "a key of 1 to 256 visible ASCII characters, none a comma";
bool IsApiKey(std::string_view text);

/// The keys of a file: one a line, spaces around it dropped; blank lines and those that begin with
/// # are none. At least one, so that a file cut short is no key that lets all in. Errors name the
/// file and the line, and never what stands there.
absl::StatusOr<std::vector<std::string>> ReadKeyFile(const std::filesystem::path& path);

/// Whether users who are neither its owner nor of its group may read or write the file.
bool OthersMayRead(const std::filesystem::path& path);

}  // namespace ivy
