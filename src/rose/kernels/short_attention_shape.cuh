#pragma once

#include <cuda_bf16.h>

#include <algorithm>

#include "rose/kernels/device/reduce.cuh"

namespace rose::kernels {

using Bf16 = __nv_bfloat16;

/// How a block of ShortAttention is cut: by head dim, rows of queries, and what happens to heads
/// first.
template <int kDim_, int kRows_, bool kTurn_, bool kNorm_>
struct ShortShape {
  static constexpr int kDim = kDim_;
  static constexpr int kRows = kRows_;  ///< Of queries.
  static constexpr bool kTurn = kTurn_;
  static constexpr bool kNorm = kNorm_;
  static constexpr int kKeys = 8192 / kDim;  ///< Of a stage.
  static constexpr int kRowGroups = kRows / 16;
  static constexpr int kWarps = std::min(8, kDim / 16 * kRowGroups);
  static constexpr int kThreads = kWarps * kWarpSize;
  static constexpr int kParts = kWarps / kRowGroups;  ///< Warps that share rows.
  static constexpr int kPartKeys = kKeys / kParts;
  static constexpr int kPartColumns = kDim / kParts;
  static constexpr int kStages = 2;
  /// On a multiprocessor, by registers: two leave the next kernel room to load its weights early.
  static constexpr int kBlocks = kRows < 64 ? 2 : 1;
  static_assert(kPartKeys % 8 == 0 && kPartColumns % 16 == 0, "of a product");
};

template <typename Shape>
struct ShortShared {
  static constexpr int kStride = Shape::kDim + 8;  ///< Eight rows of a matrix in different banks.
  static constexpr int kWeightStride = Shape::kKeys + 8;

  alignas(16) Bf16 queries[Shape::kRows][kStride];
  alignas(16) Bf16 keys[Shape::kStages][Shape::kKeys][kStride];
  alignas(16) Bf16 values[Shape::kStages][Shape::kKeys][kStride];
  alignas(16) Bf16 weights[Shape::kRows][kWeightStride];
  float largest[Shape::kParts][Shape::kRows];  ///< Scores of a stage.
  float sums[Shape::kParts][Shape::kRows];     ///< Of all weights, at the end.
};

}  // namespace rose::kernels
