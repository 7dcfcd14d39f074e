#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "common/status.h"

namespace rose::cuda {

/// A block of the current device's memory, 256-byte aligned, not initialised.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// ResourceExhausted says how much was asked for, for `purpose`, and how much is free.
  static absl::StatusOr<DeviceMemory> Allocate(int64_t bytes, std::string_view purpose);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

/// Pages of the host that devices read and write too, at the same address.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  static absl::StatusOr<PinnedMemory> Allocate(int64_t bytes, std::string_view purpose);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept { *this = std::move(other); }
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace rose::cuda
