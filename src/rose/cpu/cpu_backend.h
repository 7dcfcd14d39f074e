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
#include "rose/cpu/onednn_products.h"

namespace rose::cpu {

/// A model's weights in the layouts that the CPU multiplies fastest: float32 packed for our own
/// kernels, bfloat16 packed by oneDNN.
class CpuBackend final : public Backend {
 public:
  /// `isa` is a cap that the processor has; kBFloat16 needs HasBFloat16(isa).
  CpuBackend(Isa isa, DType dtype);

  DType dtype() const override { return dtype_; }
  Tensor MakeTable(std::span<const float> values, int64_t rows, int64_t cols) override;
  Tensor MakeVector(std::span<const float> values) override;
  const LinearWeight* MakeLinear(std::span<const float> weight, std::span<const float> bias,
                                 int64_t out_features, int64_t in_features) override;
  int64_t memory_bytes() const override { return memory_bytes_; }

  const Kernels& kernels() const { return kernels_; }
  /// That each thread needs for any of the linears made so far.
  int64_t linear_workspace_bytes() const { return linear_workspace_bytes_; }

 private:
  Memory& NewBlock(int64_t bytes);

  const Kernels& kernels_;
  DType dtype_;
  OneDnnProducts products_;
  int64_t memory_bytes_ = 0;
  int64_t linear_workspace_bytes_ = 0;
  std::vector<Memory> blocks_;
  std::vector<std::unique_ptr<CpuLinear>> linears_;
};

}  // namespace rose::cpu
