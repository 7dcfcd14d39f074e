#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "rose/core/element.h"
#include "rose/core/op_params.h"
#include "rose/core/reference_ops.h"
#include "rose/core/tensor.h"
#include "rose/kernels/attention.h"

// One step of attention on the device, for tests: its inputs on the host and in device memory, its
// output between guard bands and full of NaN before each run.

namespace rose::kernels {

inline void ExpectSuccess(cudaError_t error) {
  EXPECT_EQ(error, cudaSuccess) << cudaGetErrorString(error);
}

/// Device memory that starts as a copy of `bytes`.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::span<const std::byte> bytes) : bytes_(bytes.size()) {
    ExpectSuccess(cudaMalloc(&data_, std::max<std::size_t>(bytes_, 1)));
    Set(bytes);
  }
  DeviceBytes(std::size_t bytes, int value)
      : DeviceBytes(std::vector<std::byte>(bytes, static_cast<std::byte>(value))) {}
  ~DeviceBytes() { cudaFree(data_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  void Set(std::span<const std::byte> bytes) {
    ExpectSuccess(cudaMemcpy(data_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    ExpectSuccess(cudaDeviceSynchronize());  // A test's stream does not wait for the copy.
  }
  /// Waits for the device.
  std::vector<std::byte> Get() const {
    std::vector<std::byte> bytes(bytes_);
    ExpectSuccess(cudaDeviceSynchronize());
    ExpectSuccess(cudaMemcpy(bytes.data(), data_, bytes_, cudaMemcpyDeviceToHost));
    return bytes;
  }
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::size_t size() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Lengths of a step, of which some rows and slots may be padding.
struct StepLengths {
  std::vector<int32_t> lengths = {};
  int64_t padding = 0;      ///< Rows.
  int64_t empty_slots = 0;  ///< At the end.

  std::vector<int32_t> Bounds() const {
    std::vector<int32_t> bounds(lengths.size() + empty_slots + 1);
    std::partial_sum(lengths.begin(), lengths.end(), bounds.begin() + 1);
    std::fill(bounds.begin() + static_cast<std::ptrdiff_t>(lengths.size()), bounds.end(),
              bounds[lengths.size()]);
    return bounds;
  }
  int64_t tokens() const { return std::accumulate(lengths.begin(), lengths.end(), int64_t{0}); }
  int64_t rows() const { return tokens() + padding; }
};

class AttentionStep {
 public:
  /// Inputs of mean 0 and variance 1, padding included.
  AttentionStep(const AttentionParams& attention, DType activations, const StepLengths& lengths,
                uint32_t seed = 1)
      : params(attention),
        dtype(activations),
        bounds(lengths.Bounds()),
        tokens(lengths.tokens()),
        rows(lengths.rows()),
        qkv_(static_cast<std::size_t>(rows * params.qkv_cols()) * SizeOf(dtype)),
        device_bounds_(std::as_bytes(std::span(bounds))),
        device_qkv_(qkv_.size(), 0),
        device_out_(out_bytes() + 2 * kGuardBytes, kPoison) {
    std::minstd_rand random(seed);
    const float scale = 2 * 1.7320508f / static_cast<float>(random.max());
    for (int64_t i = 0; i < qkv().elements(); ++i) {
      SetElement(qkv(), i, scale * static_cast<float>(random()) - 1.7320508f);
    }
  }

  /// On the host.
  Tensor qkv() { return {qkv_.data(), dtype, rows, params.qkv_cols()}; }
  int64_t out_cols() const { return int64_t{params.heads} * params.head_dim; }
  AttentionShape shape(int64_t longest = 0) const {
    return {
        .tokens = rows, .sequences = static_cast<int64_t>(bounds.size()) - 1, .longest = longest};
  }
  const int32_t* device_bounds() const {
    return reinterpret_cast<const int32_t*>(device_bounds_.data());
  }
  Tensor device_qkv() const { return {device_qkv_.data(), dtype, rows, params.qkv_cols()}; }
  Tensor device_out() const { return {device_out_.data() + kGuardBytes, dtype, rows, out_cols()}; }

  /// Rows [begin, end) become `value`, on the host.
  void FillRows(int64_t begin, int64_t end, float value) {
    const int64_t cols = params.qkv_cols();
    for (int64_t i = begin * cols; i < end * cols; ++i) SetElement(qkv(), i, value);
  }

  /// New lengths in the same memory.
  void SetBounds(const StepLengths& lengths) {
    bounds = lengths.Bounds();
    tokens = lengths.tokens();
    device_bounds_.Set(std::as_bytes(std::span(bounds)));
  }

  /// Copies the inputs to the device and poisons the output.
  void Upload() {
    device_qkv_.Set(qkv_);
    device_out_.Set(std::vector<std::byte>(device_out_.size(), std::byte{kPoison}));
  }

  /// The output's rows, padding included; checks that nothing else was written.
  std::vector<std::byte> Download() {
    const std::vector<std::byte> all = device_out_.Get();
    const std::size_t used = static_cast<std::size_t>(tokens * out_cols()) * SizeOf(dtype);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= kGuardBytes && i < kGuardBytes + used) continue;
      if (all[i] == std::byte{kPoison}) continue;
      ADD_FAILURE() << "byte " << static_cast<int64_t>(i) - static_cast<int64_t>(kGuardBytes)
                    << " was written, outside the " << used << " of the tokens";
      break;
    }
    return {all.begin() + kGuardBytes, all.end() - kGuardBytes};
  }

  /// Plans, runs and waits.
  std::vector<std::byte> Run(AttentionBackend backend, int64_t longest = 0) {
    int multiprocessors = 0;
    ExpectSuccess(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, /*device=*/0));
    const AttentionShape shape = this->shape(longest);
    const DeviceBytes workspace(
        static_cast<std::size_t>(AttentionWorkspaceBytes(backend, params, shape, multiprocessors)),
        kPoison);
    Upload();
    ExpectSuccess(PlanAttention({}, backend, params, shape, device_bounds(), multiprocessors,
                                workspace.data()));
    ExpectSuccess(Attention({}, backend, params, shape, device_bounds(), workspace.data(),
                            device_qkv(), device_out()));
    ExpectSuccess(cudaDeviceSynchronize());
    return Download();
  }

  AttentionParams params;
  DType dtype;
  std::vector<int32_t> bounds;
  int64_t tokens;
  int64_t rows;

 private:
  static constexpr std::size_t kGuardBytes = 1024;
  static constexpr int kPoison = 0xff;  ///< NaN in float32 and bfloat16.

  std::size_t out_bytes() const {
    return static_cast<std::size_t>(rows * out_cols()) * SizeOf(dtype);
  }

  std::vector<std::byte> qkv_;
  DeviceBytes device_bounds_;
  DeviceBytes device_qkv_;
  DeviceBytes device_out_;
};

/// The relative error of all and the absolute of each; the first wrong element is told.
inline void ExpectNear(const AttentionStep& step, std::vector<std::byte> actual,
                       std::vector<std::byte> expected) {
  const bool narrow = step.dtype == DType::kBFloat16;
  const double absolute = narrow ? 3e-2 : 2e-5, relative = narrow ? 6e-3 : 1e-5;
  const Tensor a{actual.data(), step.dtype, step.rows, step.out_cols()};
  const Tensor e{expected.data(), step.dtype, step.rows, step.out_cols()};
  double errors = 0, squares = 0;
  for (int64_t i = 0; i < step.tokens * step.out_cols(); ++i) {
    const double got = GetElement(a, i), want = GetElement(e, i);
    if (!(std::abs(got - want) <= absolute)) {
      ADD_FAILURE() << "row " << i / step.out_cols() << ", head "
                    << i % step.out_cols() / step.params.head_dim << ", column "
                    << i % step.params.head_dim << ": got " << got << ", want " << want;
      return;
    }
    errors += (got - want) * (got - want);
    squares += want * want;
  }
  EXPECT_LE(std::sqrt(errors), relative * std::sqrt(squares));
}

/// Steps that are too large for ReferenceOps: equal, alone, mixed, and one long among many short,
/// with and without slots that no sequence takes.
inline std::vector<StepLengths> LargeSteps() {
  StepLengths mixed = {.padding = 100, .empty_slots = 64};
  for (int32_t i = 0; i < 64; ++i) mixed.lengths.push_back(8 + i * 389 % 1017);
  StepLengths uneven = {.empty_slots = 23};
  uneven.lengths.assign(1001, 16);
  uneven.lengths[500] = 4096;
  return {{.lengths = std::vector<int32_t>(100, 512), .empty_slots = 28},
          {.lengths = std::vector<int32_t>(32, 128)},
          {.lengths = {4096}},
          {.lengths = {8191}},
          mixed,
          uneven};
}

/// What ReferenceOps computes; host_params' memory is the host's.
inline std::vector<std::byte> ReferenceAttention(AttentionStep& step,
                                                 const AttentionParams& host_params) {
  std::vector<std::byte> out(static_cast<std::size_t>(step.rows * step.out_cols()) *
                             SizeOf(step.dtype));
  ReferenceOps reference(step.dtype, /*arena_bytes=*/64);
  reference.Attention(host_params, step.qkv(), {.cu_seqlens = step.bounds, .tokens = step.rows},
                      {out.data(), step.dtype, step.rows, step.out_cols()});
  return out;
}

}  // namespace rose::kernels
