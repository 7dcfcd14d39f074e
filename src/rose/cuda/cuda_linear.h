#pragma once

#include "rose/core/backend.h"
#include "rose/core/tensor.h"

namespace rose::cuda {

/// A matrix in device memory as the checkpoint stores it.
struct CudaLinear final : LinearWeight {
  Tensor weight = {};  ///< [out_features × in_features]
  Tensor bias = {};    ///< [1 × out_features] of the same dtype, or null.
};

}  // namespace rose::cuda
