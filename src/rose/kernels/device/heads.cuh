#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "rose/core/op_params.h"
#include "rose/kernels/device/row_norm.cuh"
#include "rose/kernels/device/rows.cuh"

// What norms and rotary positions of heads are told, in device terms.

namespace rose::kernels {

/// The heads of a row that are worked on, side by side; the first `queries` have one norm, the
/// others another.
template <typename T>
struct Heads {
  T* x;  ///< The first head of the first row.
  int64_t cols;
  int head_dim;
  int heads;
  int queries;
};

/// The norms of the two kinds of heads.
struct Norms {
  RowNorm queries;
  RowNorm keys;

  /// Member by member: kernel parameters that are chosen by address move to local memory.
  __device__ RowNorm At(bool query) const {
    return {.centred = query ? queries.centred : keys.centred,
            .weight = query ? queries.weight : keys.weight,
            .bias = query ? queries.bias : keys.bias,
            .epsilon = query ? queries.epsilon : keys.epsilon,
            .inverse_cols = queries.inverse_cols};
  }
};

/// RopeParams in device terms.
struct Turns {
  const float* table;
  const int32_t* position_ids;
  int rotary_dim;

  /// The cosines of a row, in front of its sines. A row of padding may have any position: it takes
  /// the first.
  __device__ const float* At(int row, bool used) const {
    const int32_t position = position_ids[row];
    return table + int64_t{used ? position : 0} * rotary_dim;
  }
};

template <typename T>
Heads<T> MakeHeads(Tensor x, int64_t column, int64_t head_dim, int64_t heads, int64_t queries) {
  return {.x = Elements<T>(x) + column,
          .cols = x.cols,
          .head_dim = static_cast<int>(head_dim),
          .heads = static_cast<int>(heads),
          .queries = static_cast<int>(queries)};
}

inline Turns MakeTurns(const RopeParams& rope, const int32_t* position_ids) {
  return {.table = Elements<const float>(rope.table),
          .position_ids = position_ids,
          .rotary_dim = rope.rotary_dim};
}

}  // namespace rose::kernels
