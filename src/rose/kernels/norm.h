#pragma once

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// Norm: out = norm(x), or norm(x + bias) with a bias [1 × cols] of x's dtype, in float32. `out`
/// may be x. Rows of padding become zeros.
cudaError_t Norm(const Launch& launch, const NormParams& norm, Tensor x, Tensor out,
                 Tensor bias = {});

/// AddNorm: out = norm(x + residual), summed in float32. `out` may be x or residual. Rows of
/// padding become zeros.
cudaError_t AddNorm(const Launch& launch, const NormParams& norm, Tensor x, Tensor residual,
                    Tensor out);

/// ResidualNorm: x += y, rounded, and out = norm(x). Rows of padding become zeros in both.
cudaError_t ResidualNorm(const Launch& launch, const NormParams& norm, Tensor y, Tensor x,
                         Tensor out);

}  // namespace rose::kernels
