#pragma once

#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

namespace rose::kernels {

/// Linear for the few shapes that no library has a kernel for, and for one or two output features:
/// out = x Wᵀ + bias (+ out where `add`), a warp for each element. weight [out.cols × x.cols], bias
/// [1 × out.cols] or null; all of one dtype, any size and alignment. Rows of padding become zeros.
cudaError_t DotProduct(const Launch& launch, Tensor weight, Tensor bias, Tensor x, bool add,
                       Tensor out);

}  // namespace rose::kernels
