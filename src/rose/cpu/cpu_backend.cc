#include "rose/cpu/cpu_backend.h"

#include <algorithm>

#include "common/check.h"
#include "rose/cpu/packed_linear.h"

namespace rose::cpu {

CpuBackend::CpuBackend(Isa isa, DType dtype) : kernels_(KernelsFor(isa)), dtype_(dtype) {
  CHECK(dtype == DType::kFloat32 || dtype == DType::kBFloat16) << DTypeName(dtype);
}

Memory& CpuBackend::NewBlock(int64_t bytes) {
  memory_bytes_ += bytes;
  return blocks_.emplace_back(bytes);
}

Tensor CpuBackend::MakeTable(const RowSource& rows, DType dtype) {
  CHECK(dtype == dtype_ || dtype == DType::kFloat32) << DTypeName(dtype);
  Tensor table{.dtype = dtype, .rows = rows.rows(), .cols = rows.cols()};
  table.data = NewBlock(table.bytes()).data();
  rows.Read(0, table.rows, dtype, table.data);
  return table;
}

const LinearWeight* CpuBackend::MakeLinear(const RowSource& weight, std::span<const float> bias,
                                           DType dtype) {
  CHECK(dtype == dtype_ || dtype == DType::kFloat32) << DTypeName(dtype);
  if (dtype == DType::kFloat32) {
    linears_.push_back(std::make_unique<PackedLinear<float>>(kernels_.gemm_f32, weight, bias));
  } else {
    linears_.push_back(std::make_unique<PackedLinear<BFloat16>>(kernels_.gemm_bf16, weight, bias));
  }
  const CpuLinear& linear = *linears_.back();
  memory_bytes_ += linear.memory_bytes();
  linear_workspace_bytes_ = std::max(linear_workspace_bytes_, linear.workspace_bytes());
  return &linear;
}

}  // namespace rose::cpu
