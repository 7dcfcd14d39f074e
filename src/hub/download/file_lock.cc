#include "hub/download/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "common/log.h"
#include "hub/download/cached_repository.h"
#include "hub/download/file_error.h"

namespace hub {
namespace {

constexpr std::chrono::milliseconds kPoll{100};

/// Some holders remove the file as they let go; a lock on what has no name any more locks no one
/// out.
bool HasName(int file) {
  struct stat status = {};
  return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

absl::StatusOr<FileLock> FileLock::Take(const std::filesystem::path& path, std::string_view what) {
  RETURN_IF_ERROR(MakeParent(path));
  for (bool told = false;;) {
    // Group-writable, so that users who share a cache may wait for each other.
    FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0664));
    if (lock.file_ < 0) return FileError(path, "opened", errno);
    if (::flock(lock.file_, LOCK_EX | LOCK_NB) == 0) {
      if (HasName(lock.file_)) return lock;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {
      spdlog::warn("{}: cannot be locked; no other process should download {} now", path.string(),
                   what);
      return lock;
    }
    if (!std::exchange(told, true)) {
      spdlog::info("waiting for another process that downloads {}", what);
    }
    std::this_thread::sleep_for(kPoll);
  }
}

FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace hub
