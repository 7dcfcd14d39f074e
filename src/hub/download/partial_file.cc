#include "hub/download/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "hub/download/cached_repository.h"
#include "hub/download/file_error.h"

namespace hub {

namespace fs = std::filesystem;

PartialFile::PartialFile(fs::path path, fs::path name, int file, int64_t size)
    : path_(std::move(path)), name_(std::move(name)), file_(file), size_(size) {}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_) {}

PartialFile::~PartialFile() {
  if (file_ >= 0) ::close(file_);
}

absl::StatusOr<PartialFile> PartialFile::Open(const fs::path& path) {
  RETURN_IF_ERROR(MakeParent(path));
  fs::path name = path.string() + ".incomplete";
  const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return FileError(name, "opened", errno);
  const off_t size = ::lseek(file, 0, SEEK_END);
  PartialFile partial(path, std::move(name), file, size);
  if (size < 0) return FileError(partial.name_, "measured", errno);
  return partial;
}

absl::Status PartialFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError(name_, "written", errno);
    size_ += count;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status PartialFile::Restart() {
  if (::ftruncate(file_, 0) != 0) return FileError(name_, "emptied", errno);
  size_ = 0;
  return absl::OkStatus();
}

absl::Status PartialFile::ExpectRoom(int64_t bytes) const {
  struct statvfs status = {};
  // What cannot say how much room it has may have enough.
  if (::fstatvfs(file_, &status) != 0) return absl::OkStatus();
  const auto room = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
  if (static_cast<double>(bytes) <= room) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      fmt::format("{}: needs {} MB more, the disk has {:.0f} MB; HF_HUB_CACHE names another folder",
                  name_.string(), bytes / 1'000'000, room / 1e6));
}

absl::Status PartialFile::Finish() {
  if (::fsync(file_) != 0) return FileError(name_, "written", errno);
  if (::rename(name_.c_str(), path_.c_str()) != 0) return FileError(path_, "written", errno);
  const int folder = ::open(path_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return absl::OkStatus();
}

}  // namespace hub
