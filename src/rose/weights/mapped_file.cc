#include "rose/weights/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

namespace rose {
namespace {

absl::Status SystemError(const std::filesystem::path& path, int error) {
  const std::string message =
      fmt::format("{}: {} ({})", path.filename().string(), std::strerror(error), path.string());
  return error == ENOENT ? absl::NotFoundError(message) : absl::InvalidArgumentError(message);
}

/// The mapping outlives the descriptor.
absl::StatusOr<std::span<const std::byte>> Map(const std::filesystem::path& path, int descriptor) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) return SystemError(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: not a file ({})", path.filename().string(), path.string()));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::span<const std::byte>();  // mmap refuses a length of 0.
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return SystemError(path, errno);
  ::madvise(address, size, MADV_SEQUENTIAL);  // A wish: it may fail.
  return std::span(static_cast<const std::byte*>(address), size);
}

/// A page that is touched may bring its neighbours along, as far as one page table reaches.
constexpr uintptr_t kPageTableBytes = uintptr_t{2} << 20;

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(
    const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError(path, errno);
  absl::StatusOr<std::span<const std::byte>> bytes = Map(path, descriptor);
  ::close(descriptor);
  if (!bytes.ok()) return bytes.status();
  return std::shared_ptr<const MappedFile>(new MappedFile(*bytes));
}

void MappedFile::Drop(std::span<const std::byte> part) const {
  if (part.empty()) return;
  const auto address = [](const std::byte* byte) { return reinterpret_cast<uintptr_t>(byte); };
  const uintptr_t first = address(bytes_.data()), last = first + bytes_.size();
  // Both ends in whole page tables: what stands beside the part costs no more than a second look.
  const uintptr_t begin = std::max(address(part.data()) / kPageTableBytes * kPageTableBytes, first);
  const uintptr_t end = std::min((address(part.data()) + part.size() + kPageTableBytes - 1) /
                                     kPageTableBytes * kPageTableBytes,
                                 last);
  auto* const pages = const_cast<std::byte*>(bytes_.data()) + (begin - first);
  ::madvise(pages, end - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace rose
