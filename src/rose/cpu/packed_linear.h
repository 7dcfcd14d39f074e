#pragma once

#include <cstdint>
#include <span>

#include "rose/cpu/cpu_linear.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/memory.h"

namespace rose::cpu {

/// Weights of type T, packed once for our own kernels: the columns of Wᵀ in the panels that their
/// GemmKernel wants, zeros past the last column.
template <typename T>
class PackedLinear final : public CpuLinear {
 public:
  /// `gemm` has a kernel and outlives it.
  PackedLinear(const GemmKernel<T>& gemm, const RowSource& weight, std::span<const float> bias);

  void Multiply(Tensor x, const Activation* activation, Parallel& parallel,
                Tensor out) const override;
  int64_t memory_bytes() const override { return panels_.bytes() + bias_.bytes(); }
  int64_t workspace_bytes() const override {
    return gemm_.WorkspaceElements(in_features) * int64_t{sizeof(T)};
  }

 private:
  T* panels() const { return reinterpret_cast<T*>(panels_.data()); }
  /// Rows of `weight`, whole panels of them but for the last, into their places.
  void Pack(int64_t row, int64_t count, const T* weight);

  const GemmKernel<T>& gemm_;
  int64_t panel_count_;
  int64_t panel_elements_;
  Memory panels_;
  Memory bias_;
};

}  // namespace rose::cpu
