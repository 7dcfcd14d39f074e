#pragma once

#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// Activate: x = activation(x + bias), in float32. `bias` [1 × cols] has x's dtype or is null. In
/// place. Rows of padding stay.
cudaError_t Activate(const Launch& launch, Activation activation, Tensor bias, Tensor x);

/// Gate: out[:, c] = activation(x[:, c]) × x[:, n + c]; x [rows × 2n], out [rows × n]. Rows of
/// padding become zeros.
cudaError_t Gate(const Launch& launch, Activation activation, Tensor x, Tensor out);

/// Add: out = x + y. `out` may be either. Rows of padding become zeros.
cudaError_t Add(const Launch& launch, Tensor x, Tensor y, Tensor out);

/// Widen: out = x, as float32. Rows of padding become zeros.
cudaError_t Widen(const Launch& launch, Tensor x, Tensor out);

}  // namespace rose::kernels
