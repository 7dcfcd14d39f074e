#pragma once

#include <cstdint>
#include <span>

#include "rose/core/ops.h"
#include "rose/cpu/parallel.h"

namespace rose::cpu {

/// A weight matrix that knows how to multiply. Immutable: any number of threads may Multiply.
struct CpuLinear : LinearWeight {
  /// `weight` [out_features × in_features] and `bias` [out_features] or empty, as Backend says;
  /// here only their sizes are taken, which must agree.
  CpuLinear(DType dtype, const RowSource& weight, std::span<const float> bias);
  /// out = activation(x Wᵀ + b); `activation` null: none. A row's result depends on no other row.
  virtual void Multiply(Tensor x, const Activation* activation, Parallel& parallel,
                        Tensor out) const = 0;
  virtual int64_t memory_bytes() const = 0;
  /// That each thread needs.
  virtual int64_t workspace_bytes() const = 0;
};

/// How a product is cut for `width` threads: blocks of rows × parts of the columns. Columns are cut
/// first: then each thread reads its own part of the weights and all share the few rows.
struct LinearSplit {
  int64_t row_blocks = 1;
  int64_t column_parts = 1;

  int64_t tasks() const { return row_blocks * column_parts; }
};

/// `column_units`: parts that the columns can be cut into; `row_unit`: rows worth a block.
LinearSplit SplitLinear(int width, int64_t rows, int64_t row_unit, int64_t column_units,
                        int64_t multiplications);

}  // namespace rose::cpu
