#pragma once

#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "rose/core/arena.h"
#include "rose/core/ops.h"
#include "rose/cpu/kernels.h"
#include "rose/cpu/parallel.h"

namespace rose::cpu {

/// Ops on the CPU: cuts each operation into tasks for the threads of `parallel` and hands them to
/// the kernels for their tensors' dtype. Cheap to make: one for each forward pass.
class CpuOps final : public Ops {
 public:
  /// `dtype` is that of the activations, as of the CpuBackend that made the weights. The others
  /// outlive it. `parallel` gives each thread CpuWorkspaceBytes.
  CpuOps(DType dtype, const Kernels& kernels, Arena& arena, Parallel& parallel);

  DType dtype() const override { return dtype_; }
  using Ops::Scratch;
  Tensor Scratch(int64_t rows, int64_t cols, DType dtype) override {
    return arena_.Take(rows, cols, dtype);
  }
  int64_t ScratchMark() const override { return arena_.mark(); }
  void ScratchRelease(int64_t mark) override { arena_.Release(mark); }

  void Embed(Tensor table, std::span<const int32_t> ids, Tensor out, bool add) override;
  void Add(Tensor x, Tensor y, Tensor out) override;
  void Norm(const NormParams& norm, Tensor x, Tensor out) override;
  void HeadNorm(const NormParams& norm, int64_t column, int64_t heads, Tensor x) override;
  void Rope(const RopeParams& rope, std::span<const int32_t> position_ids, int64_t heads,
            Tensor x) override;
  void Linear(const LinearWeight& weight, Tensor x, Tensor out) override;
  void Activate(Activation activation, Tensor x) override;
  void Gate(Activation activation, Tensor x, Tensor out) override;
  void Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                 Tensor out) override;
  void Pool(PoolingMode mode, Tensor x, const BatchShape& shape, std::span<const int32_t> skip,
            int64_t column, Tensor out) override;
  void Normalize(std::span<const uint8_t> flags, Tensor x) override;
  void Widen(Tensor x, Tensor out) override;

  void EmbedNorm(Tensor words, std::span<const int32_t> ids, Tensor positions,
                 std::span<const int32_t> position_ids, Tensor types,
                 std::span<const int32_t> type_ids, const NormParams& norm, Tensor out) override;
  void LinearActivate(const LinearWeight& weight, Activation activation, Tensor x,
                      Tensor out) override;
  void AddNorm(const NormParams& norm, Tensor x, Tensor residual, Tensor out) override;
  void ResidualNorm(const NormParams& norm, Tensor y, Tensor x, Tensor out) override;
  void HeadNormRope(const HeadNormRopeParams& params, Tensor qkv) override;

 private:
  /// Calls body(begin, end) for blocks that cover 0 … rows, each row of `cols` elements.
  void ForRows(int64_t rows, int64_t cols, absl::FunctionRef<void(int64_t, int64_t)> body);

  DType dtype_;
  const Kernels& kernels_;
  Arena& arena_;
  Parallel& parallel_;
};

/// Workspace that each thread needs: for attention with heads of at most `head_dim_max` columns or
/// for a Linear, `linear_bytes`, whichever is more, since a thread is in one of the two at a time.
int64_t CpuWorkspaceBytes(int64_t head_dim_max, int64_t linear_bytes);

}  // namespace rose::cpu
