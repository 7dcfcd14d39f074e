#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "rose/core/reference_ops.h"
#include "rose/kernels/device_buffer.h"
#include "rose/kernels/device_tensor.h"
#include "rose/kernels/launch.h"

// What the tests of operations on rows share.

namespace rose::kernels {

constexpr DType kDTypes[] = {DType::kFloat32, DType::kBFloat16};

/// Runs kernels on a stream of its own; skips where there is no GPU.
class RowTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = NoGpu(); !reason.empty()) GTEST_SKIP() << reason;
    MustSucceed(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (stream_ != nullptr) MustSucceed(cudaStreamDestroy(stream_));
  }

  /// All rows hold tokens.
  Launch AllRows() const { return {.stream = stream_}; }
  /// The first `rows` do.
  Launch RowsUsed(int64_t rows) {
    rows_used_.emplace(std::vector<int32_t>{static_cast<int32_t>(rows)});
    return {.stream = stream_, .rows_used = rows_used_->data()};
  }
  cudaStream_t stream() const { return stream_; }

  /// Normally distributed; other ones at each call.
  std::vector<float> Values(int64_t count, float scale = 1, float mean = 0) {
    std::normal_distribution<float> normal(mean, scale);
    std::vector<float> values(count);
    for (float& value : values) value = normal(random_);
    return values;
  }
  HostTensor Random(DType dtype, int64_t rows, int64_t cols, float scale = 1, float mean = 0) {
    return {dtype, rows, cols, Values(rows * cols, scale, mean)};
  }
  /// Below `end`.
  std::vector<int32_t> Ids(int64_t count, int64_t end) {
    std::uniform_int_distribution<int32_t> uniform(0, static_cast<int32_t>(end) - 1);
    std::vector<int32_t> ids(count);
    for (int32_t& id : ids) id = uniform(random_);
    return ids;
  }

  /// The oracle: float32 results of the operations, from inputs of any dtype.
  ReferenceOps& exact() { return exact_; }

 private:
  cudaStream_t stream_ = nullptr;
  std::optional<DeviceArray<int32_t>> rows_used_;
  std::mt19937 random_{20};
  ReferenceOps exact_{DType::kFloat32, /*arena_bytes=*/1 << 20};
};

/// float32, row-major, on the host.
inline HostTensor Floats32(int64_t rows, int64_t cols) { return {DType::kFloat32, rows, cols}; }

/// Rows from `used` on become NaN: padding that nothing may read for another row.
inline void PoisonRows(HostTensor& tensor, int64_t used) {
  const Tensor shape = tensor.tensor();
  for (int64_t i = used * shape.cols; i < shape.elements(); ++i) {
    tensor.Set(i, std::numeric_limits<float>::quiet_NaN());
  }
}

/// How far a result may be from its oracle.
struct Tolerance {
  double absolute = 4e-6;  ///< Of what is rounded on the way.
  double relative = 4e-6;
};

/// Where rows first … end − 1 of `actual` are not those of `expected`, which the kernel rounded
/// where it is of another dtype: the first place, both numbers, and how many differ. "" if they are
/// equal. NaN equals NaN.
inline std::string Difference(const HostTensor& actual, const HostTensor& expected, int64_t first,
                              int64_t end, Tolerance tolerance = {}) {
  const Tensor shape = actual.tensor();
  const double rounding = shape.dtype == expected.tensor().dtype ? 0 : 1.0 / 256;
  int64_t count = 0;
  std::string report;
  for (int64_t i = first * shape.cols; i < end * shape.cols; ++i) {
    const double got = actual.Get(i), want = expected.Get(i);
    const double allowed = tolerance.absolute + (tolerance.relative + rounding) * std::abs(want);
    const bool near = std::isfinite(want) && std::abs(got - want) <= allowed;
    if (near || got == want || (std::isnan(got) && std::isnan(want))) continue;
    if (++count > 1) continue;
    report = "row " + std::to_string(i / shape.cols) + " column " + std::to_string(i % shape.cols) +
             ": got " + std::to_string(got) + ", want " + std::to_string(want);
  }
  if (count > 1) report += ", and " + std::to_string(count - 1) + " more";
  return report;
}

/// All rows, of one dtype, to the bit where they are numbers.
inline std::string BitDifference(const HostTensor& actual, const HostTensor& expected) {
  return Difference(actual, expected, 0, actual.tensor().rows, {.absolute = 0, .relative = 0});
}

/// Rows first … end − 1 are zeros.
inline std::string NotZero(const HostTensor& actual, int64_t first, int64_t end) {
  const Tensor shape = actual.tensor();
  const HostTensor zeros(DType::kFloat32, shape.rows, shape.cols,
                         std::vector<float>(shape.elements()));
  return Difference(actual, zeros, first, end, {.absolute = 0, .relative = 0});
}

inline std::string Name(DType dtype, int64_t rows, int64_t cols) {
  return std::string(DTypeName(dtype)) + " " + std::to_string(rows) + " x " + std::to_string(cols);
}

}  // namespace rose::kernels
