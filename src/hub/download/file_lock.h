#pragma once

#include <filesystem>
#include <string_view>

#include "common/status.h"

namespace hub {

/// Holds flock(2) on a file while it lives, as huggingface_hub does with the same file: one process
/// at a time writes a blob. Where the file system knows no locks it holds nothing; the digest then
/// finds what two writers did.
class FileLock {
 public:
  /// Makes the file if need be and waits until no one else holds it. `what`: for the log line that
  /// says so.
  static absl::StatusOr<FileLock> Take(const std::filesystem::path& path, std::string_view what);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  explicit FileLock(int file) : file_(file) {}

  int file_;
};

}  // namespace hub
