#include "hub/download/file_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace hub {

absl::Status FileError(const std::filesystem::path& path, std::string_view done, int error_number) {
  const std::string message = fmt::format("{}: cannot be {}: {}", path.string(), done,
                                          std::generic_category().message(error_number));
  const bool full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
  return full ? absl::ResourceExhaustedError(message) : absl::FailedPreconditionError(message);
}

}  // namespace hub
