#pragma once

#include <cstdint>

#include "rose/kernels/simple_attention.h"

namespace rose::kernels {

/// One head of one sequence: pointers to row 0 of it.
template <typename T>
struct HeadRows {
  const T* q;
  const T* k;
  const T* v;
  T* out;
  const float* bias;  ///< Of distance 0, or null.
  int length;
};

template <typename T>
__device__ __forceinline__ HeadRows<T> FindHead(const SimpleAttentionArgs& a,
                                                const PlannedTile& tile, int head) {
  const AttentionArgs& rows = a.rows;
  const int64_t kv_column = int64_t{head / (rows.heads / rows.kv_heads)} * rows.head_dim;
  const int64_t at = tile.row * rows.row_stride;
  HeadRows<T> found;
  found.q = static_cast<const T*>(rows.q) + at + int64_t{head} * rows.head_dim;
  found.k = static_cast<const T*>(rows.k) + at + kv_column;
  found.v = static_cast<const T*>(rows.v) + at + kv_column;
  found.out = static_cast<T*>(rows.out) + (int64_t{tile.row} * rows.heads + head) * rows.head_dim;
  found.bias = a.bias == nullptr ? nullptr
                                 : a.bias + int64_t{head} * (2 * a.positions - 1) + a.positions - 1;
  found.length = tile.length;
  return found;
}

}  // namespace rose::kernels
