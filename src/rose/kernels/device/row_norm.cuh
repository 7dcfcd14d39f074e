#pragma once

#include <cuda_runtime.h>

#include "rose/core/op_params.h"
#include "rose/kernels/device/rows.cuh"

namespace rose::kernels {

/// NormParams in device terms.
struct RowNorm {
  bool centred;  ///< A layer norm.
  const float* weight;
  const float* bias;  ///< Or null.
  float epsilon;
  float inverse_cols;

  __device__ __forceinline__ float Mean(float sum) const { return sum * inverse_cols; }
  /// 1 / sqrt(the mean of the squares + epsilon).
  __device__ __forceinline__ float Scale(float squares) const {
    return rsqrtf(Mean(squares) + epsilon);
  }
};

inline RowNorm MakeRowNorm(const NormParams& norm) {
  return {.centred = norm.kind == NormKind::kLayer,
          .weight = Elements<const float>(norm.weight),
          .bias = Elements<const float>(norm.bias),
          .epsilon = norm.epsilon,
          .inverse_cols = 1 / static_cast<float>(norm.weight.cols)};
}

}  // namespace rose::kernels
