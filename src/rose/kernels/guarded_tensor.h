#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "rose/core/bfloat16.h"
#include "rose/core/tensor.h"

// Random numbers in device memory that tells what was written where it should not be: for tests.

namespace rose::kernels {

/// A tensor in device memory between two bands that nobody may touch. Full of NaN at first.
class GuardedTensor {
 public:
  GuardedTensor(int64_t rows, int64_t cols, DType dtype) : tensor_{nullptr, dtype, rows, cols} {
    EXPECT_EQ(cudaMalloc(&memory_, Size()), cudaSuccess);
    EXPECT_EQ(cudaMemset(memory_, 0xff, Size()), cudaSuccess);
    tensor_.data = static_cast<std::byte*>(memory_) + kBand;
  }
  GuardedTensor(int64_t rows, int64_t cols, const std::vector<BFloat16>& values)
      : GuardedTensor(rows, cols, DType::kBFloat16) {
    Put(values);
  }
  GuardedTensor(int64_t rows, int64_t cols, const std::vector<float>& values)
      : GuardedTensor(rows, cols, DType::kFloat32) {
    Put(values);
  }
  ~GuardedTensor() { cudaFree(memory_); }
  GuardedTensor(const GuardedTensor&) = delete;
  GuardedTensor& operator=(const GuardedTensor&) = delete;

  Tensor tensor() const { return tensor_; }

  template <typename Element>
  void Put(const std::vector<Element>& values) {
    const std::size_t bytes = values.size() * sizeof(Element);
    EXPECT_EQ(cudaMemcpy(tensor_.data, values.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);  // A test's stream does not wait for the copy.
  }
  template <typename Element>
  std::vector<Element> Get() const {
    std::vector<Element> values(static_cast<std::size_t>(tensor_.elements()));
    EXPECT_EQ(cudaMemcpy(values.data(), tensor_.data, values.size() * sizeof(Element),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }
  void ExpectBandsUntouched(const std::string& what) const {
    std::vector<unsigned char> all(Size());
    EXPECT_EQ(cudaMemcpy(all.data(), memory_, all.size(), cudaMemcpyDeviceToHost), cudaSuccess);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= kBand && i < all.size() - kBand) continue;
      ASSERT_EQ(all[i], 0xff) << what << ": byte " << i << " of " << all.size();
    }
  }

 private:
  static constexpr std::size_t kBand = 4096;
  std::size_t Size() const { return static_cast<std::size_t>(tensor_.bytes()) + 2 * kBand; }

  Tensor tensor_;
  void* memory_ = nullptr;
};

class Numbers {
 public:
  std::vector<float> Floats(int64_t n, float mean, float deviation) {
    std::normal_distribution<float> normal(mean, deviation);
    std::vector<float> values(static_cast<std::size_t>(n));
    for (float& value : values) value = normal(engine_);
    return values;
  }
  std::vector<BFloat16> Rounded(int64_t n, float mean, float deviation) {
    std::vector<BFloat16> values;
    for (const float value : Floats(n, mean, deviation)) {
      values.push_back(BFloat16::FromFloat(value));
    }
    return values;
  }

 private:
  std::minstd_rand engine_{20261130};
};

}  // namespace rose::kernels
