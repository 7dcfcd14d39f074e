#include "rose/cpu/memory.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace rose::cpu {
namespace {

constexpr int64_t kHugeFrom = int64_t{4} << 20;

}  // namespace

Memory::Memory(int64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* pages = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  // A wish: a kernel without huge pages refuses it and nothing is lost.
  if (bytes >= kHugeFrom) madvise(pages, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(pages);
}

Memory::~Memory() {
  if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(bytes_));
}

Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace rose::cpu
