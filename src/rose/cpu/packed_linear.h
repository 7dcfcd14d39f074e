#pragma once

#include <cstdint>
#include <span>

#include "rose/cpu/cpu_linear.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/memory.h"

namespace rose::cpu {

/// float32 weights, packed once for our own kernels: the columns of Wᵀ in panels as wide as a
/// tile, each panel's k rows one after the other, zeros past the last column.
class PackedLinear final : public CpuLinear {
 public:
  PackedLinear(const Kernels& kernels, const RowSource& weight, std::span<const float> bias);

  void Multiply(Tensor x, const Activation* activation, Parallel& parallel,
                Tensor out) const override;
  int64_t memory_bytes() const override { return panels_.bytes() + bias_.bytes(); }
  int64_t workspace_bytes() const override { return 0; }

 private:
  /// Rows of `weight`, whole panels of them but for the last, into their places.
  void Pack(int64_t row, int64_t count, const float* weight);

  const Kernels& kernels_;
  int64_t panel_count_;
  Memory panels_;
  Memory bias_;
};

}  // namespace rose::cpu
