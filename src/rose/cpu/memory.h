#pragma once

#include <cstddef>
#include <cstdint>

namespace rose::cpu {

/// Zeroed pages from the operating system, on huge pages where it has them and the block is large.
/// What is never touched takes no memory. Being refused throws std::bad_alloc, as `new` does.
class Memory {
 public:
  Memory() = default;
  explicit Memory(int64_t bytes);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;

  std::byte* data() const { return data_; }  ///< Aligned to a page; null if bytes() is 0.
  int64_t bytes() const { return bytes_; }
  float* floats() const { return reinterpret_cast<float*>(data_); }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace rose::cpu
