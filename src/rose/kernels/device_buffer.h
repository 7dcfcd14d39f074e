#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "rose/core/bfloat16.h"
#include "rose/core/tensor.h"

// Device memory for tests: between guard bands, full of NaN until it is written.

namespace rose::kernels {

/// Why no kernel can run here, "no GPU: …", or "".
inline std::string NoGpu() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(error);
  return devices == 0 ? "no GPU: none is visible" : "";
}

/// Throws what CUDA says, which fails the test.
inline void MustSucceed(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

class DeviceBuffer {
 public:
  /// `bytes` that begin `offset` bytes behind an address that is aligned to 256.
  explicit DeviceBuffer(int64_t bytes, int64_t offset = 0)
      : bytes_(bytes), offset_(kGuardBytes + offset) {
    MustSucceed(cudaMalloc(&memory_, offset_ + bytes_ + kGuardBytes));
    MustSucceed(cudaMemset(memory_, kGuard, offset_ + bytes_ + kGuardBytes));
    Poison();
  }
  ~DeviceBuffer() { cudaFree(memory_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void* data() const { return static_cast<std::byte*>(memory_) + offset_; }
  int64_t bytes() const { return bytes_; }

  /// Every float32 and every bfloat16 becomes NaN.
  void Poison() {
    MustSucceed(cudaMemset(data(), 0xff, bytes_));
    MustSucceed(cudaDeviceSynchronize());
  }
  void Upload(const void* from) {
    MustSucceed(cudaMemcpy(data(), from, bytes_, cudaMemcpyHostToDevice));
    // The copy from pageable memory may still be under way, and streams of tests wait for nobody.
    MustSucceed(cudaDeviceSynchronize());
  }
  /// Waits for the device.
  void Download(void* to) const {
    MustSucceed(cudaDeviceSynchronize());
    MustSucceed(cudaMemcpy(to, data(), bytes_, cudaMemcpyDeviceToHost));
  }

  /// The first byte outside data() that was written, relative to it; "" if none was.
  std::string BrokenGuard() const {
    std::vector<unsigned char> all(offset_ + bytes_ + kGuardBytes);
    MustSucceed(cudaDeviceSynchronize());
    MustSucceed(cudaMemcpy(all.data(), memory_, all.size(), cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < static_cast<int64_t>(all.size()); ++i) {
      const bool inside = offset_ <= i && i < offset_ + bytes_;
      if (!inside && all[i] != kGuard) return "byte " + std::to_string(i - offset_) + " written";
    }
    return "";
  }

 private:
  static constexpr int64_t kGuardBytes = 1024;
  static constexpr unsigned char kGuard = 0xa5;

  void* memory_ = nullptr;
  int64_t bytes_;
  int64_t offset_;
};

/// Integers on the device.
template <typename Integer>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<Integer>& values)
      : buffer_(static_cast<int64_t>(values.size() * sizeof(Integer))) {
    Set(values);
  }

  const Integer* data() const { return static_cast<const Integer*>(buffer_.data()); }
  /// As many as before.
  void Set(const std::vector<Integer>& values) { buffer_.Upload(values.data()); }

 private:
  DeviceBuffer buffer_;
};

/// Row-major numbers on the host, as the device stores them.
class HostTensor {
 public:
  HostTensor(DType dtype, int64_t rows, int64_t cols, const std::vector<float>& values)
      : shape_{.dtype = dtype, .rows = rows, .cols = cols}, memory_(shape_.bytes()) {
    for (int64_t i = 0; i < shape_.elements(); ++i) Set(i, values[i]);
  }
  HostTensor(DType dtype, int64_t rows, int64_t cols)
      : shape_{.dtype = dtype, .rows = rows, .cols = cols}, memory_(shape_.bytes(), kPoison) {}

  Tensor tensor() const {
    Tensor tensor = shape_;
    tensor.data = memory_.data();
    return tensor;
  }
  void Set(int64_t i, float value) {
    if (shape_.dtype == DType::kBFloat16) {
      const BFloat16 rounded = BFloat16::FromFloat(value);
      std::memcpy(memory_.data() + i * sizeof rounded, &rounded, sizeof rounded);
    } else {
      std::memcpy(memory_.data() + i * sizeof value, &value, sizeof value);
    }
  }
  float Get(int64_t i) const {
    float value = 0;
    if (shape_.dtype == DType::kBFloat16) {
      BFloat16 rounded;
      std::memcpy(&rounded, memory_.data() + i * sizeof rounded, sizeof rounded);
      return rounded.ToFloat();
    }
    std::memcpy(&value, memory_.data() + i * sizeof value, sizeof value);
    return value;
  }

 private:
  static constexpr std::byte kPoison{0xff};

  Tensor shape_;
  mutable std::vector<std::byte> memory_;
};

/// A tensor on the device, `offset` elements behind an aligned address.
class DeviceTensor {
 public:
  DeviceTensor(DType dtype, int64_t rows, int64_t cols, int64_t offset = 0)
      : shape_{.dtype = dtype, .rows = rows, .cols = cols},
        buffer_(shape_.bytes(), offset * static_cast<int64_t>(SizeOf(dtype))) {}
  explicit DeviceTensor(const HostTensor& host, int64_t offset = 0)
      : DeviceTensor(host.tensor().dtype, host.tensor().rows, host.tensor().cols, offset) {
    buffer_.Upload(host.tensor().data);
  }

  Tensor tensor() const {
    Tensor tensor = shape_;
    tensor.data = buffer_.data();
    return tensor;
  }
  /// Waits for the device.
  HostTensor Host() const {
    HostTensor host(shape_.dtype, shape_.rows, shape_.cols);
    buffer_.Download(host.tensor().data);
    return host;
  }
  void Poison() { buffer_.Poison(); }
  std::string BrokenGuard() const { return buffer_.BrokenGuard(); }

 private:
  Tensor shape_;
  DeviceBuffer buffer_;
};

}  // namespace rose::kernels
