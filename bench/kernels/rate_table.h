#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/kernels/graph_timer.h"
#include "rose/core/bfloat16.h"
#include "rose/core/tensor.h"

namespace bench {

inline void Check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fmt::print(stderr, "{}\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Device memory for the whole run, full of normal-sized bfloat16 numbers. Tensors of different
/// slots lie apart.
class DeviceMemory {
 public:
  explicit DeviceMemory(int64_t slot_bytes) : slot_bytes_(slot_bytes) {
    std::vector<rose::BFloat16> values(std::size_t{1} << 22);
    uint32_t state = 1;
    for (rose::BFloat16& value : values) {
      state = state * 1664525u + 1013904223u;  // Numerical Recipes' generator.
      value = rose::BFloat16::FromFloat(static_cast<float>(state >> 8) / 8388608.0f - 1);
    }
    const auto piece = static_cast<int64_t>(values.size() * sizeof values[0]);
    for (void*& slot : slots_) {
      Check(cudaMalloc(&slot, static_cast<std::size_t>(slot_bytes)));
      for (int64_t at = 0; at + piece <= slot_bytes; at += piece) {
        Check(cudaMemcpy(static_cast<std::byte*>(slot) + at, values.data(),
                         static_cast<std::size_t>(piece), cudaMemcpyHostToDevice));
      }
    }
  }
  ~DeviceMemory() {
    for (void* slot : slots_) cudaFree(slot);
    for (void* array : arrays_) cudaFree(array);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  rose::Tensor At(int slot, int64_t rows, int64_t cols,
                  rose::DType dtype = rose::DType::kBFloat16) const {
    const rose::Tensor tensor{.data = slots_[slot], .dtype = dtype, .rows = rows, .cols = cols};
    if (tensor.bytes() <= slot_bytes_) return tensor;
    fmt::print(stderr, "{} x {} does not fit\n", rows, cols);
    std::exit(1);
  }
  template <typename Number>
  const Number* Array(const std::vector<Number>& values) {
    void* array = nullptr;
    Check(cudaMalloc(&array, values.size() * sizeof(Number)));
    Check(cudaMemcpy(array, values.data(), values.size() * sizeof(Number), cudaMemcpyHostToDevice));
    arrays_.push_back(array);
    return static_cast<const Number*>(array);
  }
  /// float32 [1 × values.size()].
  rose::Tensor Vector(const std::vector<float>& values) {
    return {.data = const_cast<float*>(Array(values)),
            .rows = 1,
            .cols = static_cast<int64_t>(values.size())};
  }

  /// GB/s in and out of a copy from one slot to another.
  double CopyRate() const {
    cudaEvent_t begin = nullptr, end = nullptr;
    Check(cudaEventCreate(&begin));
    Check(cudaEventCreate(&end));
    const auto bytes = static_cast<std::size_t>(slot_bytes_);
    double best = 0;
    for (int run = 0; run < 10; ++run) {
      float milliseconds = 0;
      Check(cudaEventRecord(begin));
      Check(cudaMemcpyAsync(slots_[1], slots_[0], bytes, cudaMemcpyDeviceToDevice));
      Check(cudaEventRecord(end));
      Check(cudaEventSynchronize(end));
      Check(cudaEventElapsedTime(&milliseconds, begin, end));
      best = std::max(best, 2 * static_cast<double>(bytes) / milliseconds * 1e-6);
    }
    Check(cudaEventDestroy(begin));
    Check(cudaEventDestroy(end));
    return best;
  }

 private:
  int64_t slot_bytes_;
  void* slots_[4] = {};
  std::vector<void*> arrays_;
};

/// One line for each kernel and shape.
class RateTable {
 public:
  explicit RateTable(double copy_rate) : copy_rate_(copy_rate) {
    fmt::print("copying: {:.0f} GB/s\n\n{:<34}{:>9}{:>10}{:>10}{:>9}{:>10}{:>9}\n", copy_rate,
               "kernel", "rows", "µs", "overlap", "GB/s", "% of 4300", "of copy");
  }

  /// `bytes` are read and written by one launch.
  template <typename Enqueue>
  void Print(const std::string& kernel, int64_t rows, int64_t bytes, const Enqueue& enqueue) {
    const double alone = timer_.Microseconds(enqueue);
    const double overlapped = timer_.Microseconds([&](rose::kernels::Launch launch) {
      launch.overlap = true;
      return enqueue(launch);
    });
    const double rate = static_cast<double>(bytes) / alone * 1e-3;
    fmt::print("{:<34}{:>9}{:>10.2f}{:>10.2f}{:>9.0f}{:>10.0f}{:>9.0f}\n", kernel, rows, alone,
               overlapped, rate, rate / 43, 100 * rate / copy_rate_);
    std::fflush(stdout);
  }

 private:
  GraphTimer timer_;
  double copy_rate_;
};

}  // namespace bench
