#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "rose/kernels/launch.h"

namespace rose::kernels {

/// How cuDNN is told of packed sequences: arrays in device memory.
struct RaggedOffsets {
  int32_t* lengths = nullptr;      ///< [sequences], in tokens.
  int32_t* qkv_offsets = nullptr;  ///< [sequences + 1], of first tokens, in elements.
  int32_t* out_offsets = nullptr;  ///< [sequences + 1], the same of the output.
};

/// Fills the arrays from `cu_seqlens` [sequences + 1] for rows of so many columns, once a step. The
/// last bound times qkv_cols is below 2³¹. rows_used of `launch` is ignored.
cudaError_t FindRaggedOffsets(const Launch& launch, const int32_t* cu_seqlens, int64_t sequences,
                              int64_t qkv_cols, int64_t out_cols, const RaggedOffsets& offsets);

}  // namespace rose::kernels
