#pragma once

#include <filesystem>
#include <string_view>

#include "common/status.h"

namespace hub {

/// The error of a call on `path` that set `error_number`: "PATH: cannot be `done`: No space left on
/// device". ResourceExhausted where space or a limit ran out, else FailedPrecondition.
absl::Status FileError(const std::filesystem::path& path, std::string_view done, int error_number);

}  // namespace hub
