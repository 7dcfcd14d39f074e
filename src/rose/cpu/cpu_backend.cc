#include "rose/cpu/cpu_backend.h"

#include <algorithm>

#include "common/check.h"
#include "rose/cpu/onednn_linear.h"
#include "rose/cpu/packed_linear.h"

namespace rose::cpu {

CpuBackend::CpuBackend(Isa isa, DType dtype) : kernels_(KernelsFor(isa)), dtype_(dtype) {
  CHECK(dtype == DType::kFloat32 || dtype == DType::kBFloat16) << DTypeName(dtype);
}

Memory& CpuBackend::NewBlock(int64_t bytes) {
  memory_bytes_ += bytes;
  return blocks_.emplace_back(bytes);
}

Tensor CpuBackend::MakeTable(std::span<const float> values, int64_t rows, int64_t cols) {
  CHECK(static_cast<int64_t>(values.size()) == rows * cols);
  Tensor table{.dtype = dtype_, .rows = rows, .cols = cols};
  table.data = NewBlock(table.bytes()).data();
  if (dtype_ == DType::kFloat32) {
    std::copy(values.begin(), values.end(), table.f32());
  } else {
    std::transform(values.begin(), values.end(), table.bf16(), BFloat16::FromFloat);
  }
  return table;
}

Tensor CpuBackend::MakeVector(std::span<const float> values) {
  Tensor vector{.dtype = DType::kFloat32, .rows = 1, .cols = static_cast<int64_t>(values.size())};
  vector.data = NewBlock(vector.bytes()).data();
  std::copy(values.begin(), values.end(), vector.f32());
  return vector;
}

const LinearWeight* CpuBackend::MakeLinear(std::span<const float> weight,
                                           std::span<const float> bias, int64_t out_features,
                                           int64_t in_features) {
  const LinearValues values{
      .weight = weight, .bias = bias, .out_features = out_features, .in_features = in_features};
  if (dtype_ == DType::kFloat32) {
    linears_.push_back(std::make_unique<PackedLinear>(kernels_, values));
  } else {
    linears_.push_back(std::make_unique<OneDnnLinear>(products_, kernels_, dtype_, values));
  }
  const CpuLinear& linear = *linears_.back();
  memory_bytes_ += linear.memory_bytes();
  linear_workspace_bytes_ = std::max(linear_workspace_bytes_, linear.workspace_bytes());
  return &linear;
}

}  // namespace rose::cpu
