#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rose/core/backend.h"
#include "rose/cpu/cpu_linear.h"
#include "rose/cpu/isa.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/memory.h"

namespace rose::cpu {

/// A model's weights in the layouts that the CPU's kernels multiply fastest.
class CpuBackend final : public Backend {
 public:
  /// `isa` is a cap that the processor has; kBFloat16 needs HasBFloat16(isa).
  CpuBackend(Isa isa, DType dtype);

  using Backend::MakeLinear;
  using Backend::MakeTable;
  DType dtype() const override { return dtype_; }
  Tensor MakeTable(const RowSource& rows, DType dtype) override;
  const LinearWeight* MakeLinear(const RowSource& weight, std::span<const float> bias,
                                 DType dtype) override;
  int64_t memory_bytes() const override { return memory_bytes_; }

  const Kernels& kernels() const { return kernels_; }
  /// That each thread needs for any of the linears made so far.
  int64_t linear_workspace_bytes() const { return linear_workspace_bytes_; }

 private:
  Memory& NewBlock(int64_t bytes);

  const Kernels& kernels_;
  DType dtype_;
  int64_t memory_bytes_ = 0;
  int64_t linear_workspace_bytes_ = 0;
  std::vector<Memory> blocks_;
  std::vector<std::unique_ptr<CpuLinear>> linears_;
};

}  // namespace rose::cpu
