#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "rose/core/bfloat16.h"
#include "rose/core/tensor.h"
#include "rose/kernels/device_buffer.h"

// Tensors of tests, on both sides. What no one has written is NaN.

namespace rose::kernels {

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

/// A tensor on the device, `offset` elements behind an aligned address. Full of NaN at first.
class DeviceTensor {
 public:
  DeviceTensor(DType dtype, int64_t rows, int64_t cols, int64_t offset = 0)
      : shape_{.dtype = dtype, .rows = rows, .cols = cols},
        buffer_(shape_.bytes(), offset * static_cast<int64_t>(SizeOf(dtype))) {}
  explicit DeviceTensor(const HostTensor& host, int64_t offset = 0)
      : DeviceTensor(host.tensor().dtype, host.tensor().rows, host.tensor().cols, offset) {
    buffer_.Upload(host.tensor().data);
  }
  DeviceTensor(int64_t rows, int64_t cols, const std::vector<BFloat16>& values)
      : DeviceTensor(DType::kBFloat16, rows, cols) {
    Put(values);
  }
  DeviceTensor(int64_t rows, int64_t cols, const std::vector<float>& values)
      : DeviceTensor(DType::kFloat32, rows, cols) {
    Put(values);
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
  /// All elements, as they are stored.
  template <typename Element>
  void Put(const std::vector<Element>& values) {
    buffer_.Upload(values.data());
  }
  /// Waits for the device.
  template <typename Element>
  std::vector<Element> Get() const {
    std::vector<Element> values(static_cast<std::size_t>(shape_.elements()));
    buffer_.Download(values.data());
    return values;
  }
  void Poison() { buffer_.Poison(); }
  std::string BrokenGuard() const { return buffer_.BrokenGuard(); }

 private:
  Tensor shape_;
  DeviceBuffer buffer_;
};

}  // namespace rose::kernels
