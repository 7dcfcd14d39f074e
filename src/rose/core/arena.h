#pragma once

#include <cstddef>
#include <cstdint>

#include "rose/core/tensor.h"

namespace rose {

/// Hands out a block of memory from the bottom up and takes it back from the top down: the scratch
/// of one Ops. Owns nothing. Running over is our own bug (the block is sized beforehand, see
/// arena_meter.h) and a CHECK. One thread.
class Arena {
 public:
  static constexpr int64_t kAlignment = 64;  ///< Bytes: a cache line, the widest vector.

  Arena() = default;
  /// `base` is kAlignment-aligned. A null base hands out null tensors and only counts.
  Arena(std::byte* base, int64_t bytes) : base_(base), bytes_(bytes) {}

  Tensor Take(int64_t rows, int64_t cols, DType dtype);
  int64_t mark() const { return used_; }
  void Release(int64_t mark);
  /// Most bytes in use at once so far.
  int64_t peak_bytes() const { return peak_; }

 private:
  std::byte* base_ = nullptr;
  int64_t bytes_ = 0;
  int64_t used_ = 0;
  int64_t peak_ = 0;
};

}  // namespace rose
