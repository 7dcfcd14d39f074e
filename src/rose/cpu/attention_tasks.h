#pragma once

#include <cstdint>

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/cpu/kernels.h"

namespace rose::cpu {

/// Ops::Attention of a batch, cut into tasks for `width` threads: each a key and value head with
/// the queries that share it, of a block of rows that may begin and end within sequences.
class AttentionTasks {
 public:
  AttentionTasks(const AttentionParams& params, Tensor qkv, const BatchShape& shape, Tensor out,
                 int width);

  int64_t count() const { return blocks_ * params_.key_value_heads(); }
  /// The tensors are of T. `workspace` is AttentionArgs'. Any thread.
  template <typename T>
  void Run(const RowKernels<T>& kernels, int64_t task, float* workspace) const;

 private:
  template <typename T>
  AttentionArgs<T> HeadArgs(int64_t kv_head) const;

  const AttentionParams params_;
  const Tensor qkv_;
  const BatchShape shape_;
  const Tensor out_;
  const int64_t blocks_;  ///< Of rows.
};

}  // namespace rose::cpu
