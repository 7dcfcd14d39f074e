#include "common/file.h"

#include <fmt/format.h>

#include <fstream>

namespace common {

absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path, std::size_t bytes_max) {
  const std::string name = path.filename().string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    const bool broken_link = std::filesystem::is_symlink(path, error);
    return absl::NotFoundError(fmt::format(
        "{}: {} ({})", name, broken_link ? "broken link" : "file not found", path.string()));
  }
  if (!std::filesystem::is_regular_file(status)) {
    return absl::InvalidArgumentError(fmt::format("{}: not a file ({})", name, path.string()));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > bytes_max) {
    return absl::InvalidArgumentError(
        fmt::format("{}: larger than {} bytes ({})", name, bytes_max, path.string()));
  }
  std::string bytes(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
    return absl::InvalidArgumentError(fmt::format("{}: cannot be read ({})", name, path.string()));
  }
  return bytes;
}

}  // namespace common
