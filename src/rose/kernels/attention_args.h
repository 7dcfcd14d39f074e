#pragma once

#include <cstdint>

namespace rose::kernels {

/// The rows of one layer as kernels take them: the heads of a token lie side by side.
struct AttentionArgs {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* out = nullptr;     ///< Contiguous.
  int64_t row_stride = 0;  ///< Elements from a token to the next, of q, k and v.
  int32_t tokens = 0;      ///< Rows that there are, padding included.
  int32_t heads = 0;
  int32_t kv_heads = 0;
  int32_t head_dim = 0;
  float scale = 0;
};

}  // namespace rose::kernels
