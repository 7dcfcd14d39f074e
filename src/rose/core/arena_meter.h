#pragma once

#include <span>

#include "rose/core/arena.h"
#include "rose/core/ops.h"

namespace rose {

/// Computes nothing and counts the scratch that a forward pass takes, so that an arena can be sized
/// before there is one. Its tensors have no memory; the spans of its input may be empty.
class ArenaMeter : public Ops {
 public:
  explicit ArenaMeter(DType dtype) : dtype_(dtype) {}

  int64_t peak_bytes() const { return arena_.peak_bytes(); }

  DType dtype() const override { return dtype_; }
  using Ops::Scratch;
  Tensor Scratch(int64_t rows, int64_t cols, DType dtype) override {
    return arena_.Take(rows, cols, dtype);
  }
  int64_t ScratchMark() const override { return arena_.mark(); }
  void ScratchRelease(int64_t mark) override { arena_.Release(mark); }

  void Embed(Tensor, std::span<const int32_t>, Tensor, bool) override {}
  void Add(Tensor, Tensor, Tensor) override {}
  void Norm(const NormParams&, Tensor, Tensor) override {}
  void HeadNorm(const NormParams&, int64_t, int64_t, Tensor) override {}
  void Rope(const RopeParams&, std::span<const int32_t>, int64_t, Tensor) override {}
  void Linear(const LinearWeight&, Tensor, Tensor) override {}
  void Activate(Activation, Tensor) override {}
  void Gate(Activation, Tensor, Tensor) override {}
  void Attention(const AttentionParams&, Tensor, const BatchShape&, Tensor) override {}
  void Pool(PoolingMode, Tensor, const BatchShape&, std::span<const int32_t>, int64_t,
            Tensor) override {}
  void Normalize(std::span<const uint8_t>, Tensor) override {}
  void Widen(Tensor, Tensor) override {}

 private:
  DType dtype_;
  Arena arena_{nullptr, INT64_MAX};
};

}  // namespace rose
