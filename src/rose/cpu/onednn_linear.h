#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rose/cpu/cpu_linear.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/memory.h"
#include "rose/cpu/onednn_products.h"

namespace rose::cpu {

/// Weights that oneDNN multiplies, in parts of the columns, so that threads can share few rows.
/// The activation is our own kernel's, on each part while it is in cache.
class OneDnnLinear final : public CpuLinear {
 public:
  /// `products` outlives it.
  OneDnnLinear(OneDnnProducts& products, const Kernels& kernels, DType dtype,
               const RowSource& weight, std::span<const float> bias);

  void Multiply(Tensor x, const Activation* activation, Parallel& parallel,
                Tensor out) const override;
  int64_t memory_bytes() const override;
  int64_t workspace_bytes() const override { return dense_bytes_ + product_bytes_; }

 private:
  struct Part {
    int64_t column = 0;
    int64_t cols = 0;
    const OneDnnProduct* product = nullptr;
    Memory weights;
  };

  /// Rows [begin, end) of one part.
  void MultiplyPart(const Part& part, Tensor x, Share rows, const Activation* activation,
                    std::byte* workspace, Tensor out) const;

  void Activate(Activation activation, int64_t elements, std::byte* x) const;

  const Kernels& kernels_;
  std::vector<Part> parts_;
  Memory bias_;
  int64_t dense_bytes_ = 0;    ///< A part's product before it goes into its columns of `out`.
  int64_t product_bytes_ = 0;  ///< oneDNN's scratchpad.
};

}  // namespace rose::cpu
