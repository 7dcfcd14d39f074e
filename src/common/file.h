#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "common/status.h"

namespace common {

/// OK for a regular file (links are followed). NotFound if it, or what a link leads to, is not
/// there; InvalidArgument if something else is, or if the system does not let this process see,
/// with its word for why. Errors start with the file's name.
absl::Status CheckFile(const std::filesystem::path& path);

/// The whole file's bytes. Errors are those of CheckFile; InvalidArgument if it is larger than
/// `bytes_max` or cannot be read.
absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path,
                                     std::size_t bytes_max = std::size_t{256} << 20);

}  // namespace common
