#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// Device memory for tests: between guard bands, full of NaN until it is written.

namespace rose::kernels {

/// Throws what CUDA says, which fails the test.
inline void MustSucceed(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// Why no kernel can run here, "no GPU: …", or "".
inline std::string NoGpu() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(error);
  return devices == 0 ? "no GPU: none is visible" : "";
}

/// The same of kernels for compute capability 9.0.
inline std::string NoHopper() {
  if (std::string reason = NoGpu(); !reason.empty()) return reason;
  int major = 0;
  MustSucceed(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, /*device=*/0));
  return major == 9 ? "" : "no GPU: none of compute capability 9.0";
}

class DeviceBuffer {
 public:
  /// `bytes` that begin `offset` bytes behind an address that is aligned to 256.
  explicit DeviceBuffer(int64_t bytes, int64_t offset = 0)
      : bytes_(bytes), offset_(kBandBytes + offset) {
    MustSucceed(cudaMalloc(&memory_, bands()[1].end));
    for (const Band& band : bands()) {
      std::vector<unsigned char> guard;
      for (int64_t i = band.begin; i < band.end; ++i) guard.push_back(Guard(i));
      MustSucceed(cudaMemcpy(At(band.begin), guard.data(), guard.size(), cudaMemcpyHostToDevice));
    }
    Poison();
  }
  ~DeviceBuffer() { cudaFree(memory_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void* data() const { return At(offset_); }
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
    MustSucceed(cudaDeviceSynchronize());
    for (const Band& band : bands()) {
      std::vector<unsigned char> found(band.end - band.begin);
      MustSucceed(cudaMemcpy(found.data(), At(band.begin), found.size(), cudaMemcpyDeviceToHost));
      for (int64_t i = band.begin; i < band.end; ++i) {
        if (found[i - band.begin] == Guard(i)) continue;
        return "byte " + std::to_string(i - offset_) + " written";
      }
    }
    return "";
  }

 private:
  struct Band {
    int64_t begin, end;
  };
  static constexpr int64_t kBandBytes = 4096;

  /// NaN too, so that who reads a band shows it, but not one that kernels or Poison() write.
  static unsigned char Guard(int64_t i) { return i % 2 == 0 ? 0xa5 : 0x7f; }

  std::array<Band, 2> bands() const {
    const int64_t end = offset_ + bytes_;
    return {{{0, offset_}, {end, end + kBandBytes}}};
  }
  std::byte* At(int64_t i) const { return static_cast<std::byte*>(memory_) + i; }

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

}  // namespace rose::kernels
