#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rose/core/arena.h"
#include "rose/core/ops.h"

namespace rose {

/// Every primitive operation as one plain loop over its definition, and no fused one: the oracle
/// of all kernels, to be read as the specification. Weights come from a ReferenceBackend of the
/// same dtype. Sums run in double, so that a comparison shows the kernel's own rounding alone; only
/// what is stored is rounded to dtype(). Scratch is handed out full of NaN, so that a read of what
/// nobody wrote is seen. Slow; for tests only. One thread.
class ReferenceOps final : public Ops {
 public:
  ReferenceOps(DType dtype, int64_t arena_bytes);

  DType dtype() const override { return dtype_; }
  using Ops::Scratch;
  Tensor Scratch(int64_t rows, int64_t cols, DType dtype) override;
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

  int64_t arena_peak_bytes() const { return arena_.peak_bytes(); }

 private:
  struct alignas(Arena::kAlignment) Line {
    std::array<std::byte, Arena::kAlignment> bytes;
  };

  DType dtype_;
  std::vector<Line> memory_;
  Arena arena_;
};

}  // namespace rose
