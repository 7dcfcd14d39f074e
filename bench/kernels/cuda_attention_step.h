#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "rose/core/bfloat16.h"
#include "rose/core/op_params.h"
#include "rose/kernels/attention.h"

namespace bench {

inline void Check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  fmt::print(stderr, "{}: {}\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Device memory for the whole run.
inline void* Upload(const void* data, std::size_t bytes) {
  void* memory = nullptr;
  Check(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)), "cudaMalloc");
  Check(cudaMemcpy(memory, data, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

/// The inputs and the output of attention over some lengths, on the device.
class AttentionStep {
 public:
  AttentionStep(const rose::AttentionParams& params, const std::vector<int32_t>& lengths,
                int64_t slots)
      : params_(params), bounds_(static_cast<std::size_t>(slots) + 1) {
    std::partial_sum(lengths.begin(), lengths.end(), bounds_.begin() + 1);
    const int32_t tokens = bounds_[lengths.size()];
    std::fill(bounds_.begin() + static_cast<std::ptrdiff_t>(lengths.size()), bounds_.end(), tokens);
    shape_ = {.tokens = tokens,
              .sequences = slots,
              .longest = *std::max_element(lengths.begin(), lengths.end())};
    std::minstd_rand random(7);
    std::vector<rose::BFloat16> values(static_cast<std::size_t>(tokens * params.qkv_cols()));
    for (rose::BFloat16& value : values) {
      value = rose::BFloat16::FromFloat(static_cast<float>(random()) / 6.2e8f - 1.73f);
    }
    qkv_ = Upload(values.data(), values.size() * sizeof values[0]);
    out_ = Upload(values.data(), static_cast<std::size_t>(tokens) * params.heads * params.head_dim *
                                     sizeof values[0]);
    device_bounds_ = Upload(bounds_.data(), bounds_.size() * sizeof bounds_[0]);
  }
  ~AttentionStep() {
    for (void* memory : {qkv_, out_, device_bounds_}) cudaFree(memory);
  }
  AttentionStep(const AttentionStep&) = delete;
  AttentionStep& operator=(const AttentionStep&) = delete;

  const rose::AttentionParams& params() const { return params_; }
  rose::kernels::AttentionShape& shape() { return shape_; }
  const int32_t* bounds() const { return static_cast<const int32_t*>(device_bounds_); }
  rose::Tensor qkv() const {
    return {qkv_, rose::DType::kBFloat16, shape_.tokens, params_.qkv_cols()};
  }
  rose::Tensor out() const {
    return {out_, rose::DType::kBFloat16, shape_.tokens, int64_t{params_.heads} * params_.head_dim};
  }

 private:
  rose::AttentionParams params_;
  std::vector<int32_t> bounds_;
  rose::kernels::AttentionShape shape_;
  void* qkv_ = nullptr;
  void* out_ = nullptr;
  void* device_bounds_ = nullptr;
};

}  // namespace bench
