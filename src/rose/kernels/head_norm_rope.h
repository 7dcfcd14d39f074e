#pragma once

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// HeadNorm: the norm of each of `heads` pieces of a row, norm.weight.cols wide, the first at
/// `column`. In place. Rows of padding stay.
cudaError_t HeadNorm(const Launch& launch, const NormParams& norm, int64_t column, int64_t heads,
                     Tensor x);

/// Rope: turns the first `heads` pieces of a row by position_ids [rows]. In place. Rows of padding
/// stay.
cudaError_t Rope(const Launch& launch, const RopeParams& rope, const int32_t* position_ids,
                 int64_t heads, Tensor x);

/// HeadNormRope: both of the above for the queries and keys of packed `qkv`, in one pass and
/// without rounding between them. In place. Rows of padding stay.
cudaError_t HeadNormRope(const Launch& launch, const HeadNormRopeParams& params, Tensor qkv);

}  // namespace rose::kernels
