#pragma once

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// Pool of Ops, in float32: fills columns [column, column + x.cols) of out [sequences × out_cols].
/// The sequence s holds rows cu_seqlens[s] … of x; an empty one, padding of a step, gives zeros.
/// `skip` [sequences] or null. launch.rows_used is ignored: cu_seqlens say it. A sequence's numbers
/// are the same to the bit whatever else is in the step.
cudaError_t Pool(const Launch& launch, PoolingMode mode, Tensor x, const int32_t* cu_seqlens,
                 const int32_t* skip, int64_t column, Tensor out);

/// PoolNormalize: the above, then rows s with flags[s] ≠ 0 (`flags` null: all) are divided by
/// max(‖row‖₂, 1e-12), in one kernel unless rows are wider than any model's. out [sequences ×
/// x.cols].
cudaError_t PoolNormalize(const Launch& launch, PoolingMode mode, Tensor x,
                          const int32_t* cu_seqlens, const int32_t* skip, const uint8_t* flags,
                          Tensor out);

/// A block of a longer pooling, for rows too wide to hold all of: x holds rows first_row …
/// first_row + x.rows − 1 of the packed tokens, and out[s] = max(out[s], rows of s) or out[s] +
/// their sum. Mode is kMax or kSum; `out` starts as −∞ or 0, and NaN survives a maximum.
cudaError_t PoolBlock(const Launch& launch, PoolingMode mode, Tensor x, int64_t first_row,
                      const int32_t* cu_seqlens, Tensor out);

/// Fills a float32 tensor with `value`.
cudaError_t Fill(const Launch& launch, float value, Tensor x);

/// Normalize of Ops: rows r with flags[r] ≠ 0 (`flags` null: all). In place. Rows of padding stay.
cudaError_t Normalize(const Launch& launch, const uint8_t* flags, Tensor x);

}  // namespace rose::kernels
