#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "common/status.h"

namespace hub {

/// A file that grows at its end under a name of its own and takes its real name when it is whole,
/// so that nobody sees half a file. What was written stays for the next attempt, even of a later
/// process.
class PartialFile {
 public:
  /// Opens `path`.incomplete, with the bytes that are there, or makes it. One writer at a time.
  static absl::StatusOr<PartialFile> Open(const std::filesystem::path& path);
  ~PartialFile();
  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;

  const std::filesystem::path& name() const { return name_; }
  int64_t size() const { return size_; }

  /// ResourceExhausted if the disk, a quota or a limit is full; what fitted stays.
  absl::Status Append(std::string_view bytes);
  /// Empties it.
  absl::Status Restart();
  /// ResourceExhausted if the file system has less room than these bytes.
  absl::Status ExpectRoom(int64_t bytes) const;
  /// Waits until the disk has it, then gives it its real name.
  absl::Status Finish();

 private:
  PartialFile(std::filesystem::path path, std::filesystem::path name, int file, int64_t size);

  std::filesystem::path path_;
  std::filesystem::path name_;
  int file_;
  int64_t size_;
};

}  // namespace hub
