#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "common/status.h"

namespace rose {

/// A whole file mapped read-only, to be read once from front to back. Shared by every view into it;
/// unmapped with the last one.
class MappedFile {
 public:
  /// Links are followed. Errors start with the file's name.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Takes the pages of `part`, which lies in bytes(), out of this process's memory. Reading them
  /// again brings them back.
  void Drop(std::span<const std::byte> part) const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace rose
