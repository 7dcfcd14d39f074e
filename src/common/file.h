#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "common/status.h"

namespace common {

/// The whole file's bytes. NotFound if it is not there, InvalidArgument if it is larger than
/// `bytes_max` or no regular file (links are followed). Errors start with the file's name.
absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path,
                                     std::size_t bytes_max = std::size_t{256} << 20);

}  // namespace common
