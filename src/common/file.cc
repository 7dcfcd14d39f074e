#include "common/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace common {

namespace {

namespace fs = std::filesystem;

std::string NameOf(const fs::path& path) {
  return (path.has_filename() ? path.filename() : path).string();
}

}  // namespace

absl::Status CheckFile(const fs::path& path) {
  const std::string name = NameOf(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_regular_file(status)) return absl::OkStatus();
  if (status.type() == fs::file_type::not_found) {
    const bool broken_link = fs::is_symlink(fs::symlink_status(path, error));
    return absl::NotFoundError(fmt::format(
        "{}: {} ({})", name, broken_link ? "broken link" : "file not found", path.string()));
  }
  return absl::InvalidArgumentError(
      fmt::format("{}: {} ({})", name, fs::status_known(status) ? "not a file" : error.message(),
                  path.string()));
}

absl::StatusOr<std::string> ReadFile(const fs::path& path, std::size_t bytes_max) {
  RETURN_IF_ERROR(CheckFile(path));
  const std::string name = NameOf(path);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > bytes_max) {
    return absl::InvalidArgumentError(
        fmt::format("{}: larger than {} bytes ({})", name, bytes_max, path.string()));
  }
  std::string bytes(size, '\0');
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
    const std::string cause = errno == 0 ? "" : ": " + std::system_category().message(errno);
    return absl::InvalidArgumentError(
        fmt::format("{}: cannot be read{} ({})", name, cause, path.string()));
  }
  return bytes;
}

}  // namespace common
