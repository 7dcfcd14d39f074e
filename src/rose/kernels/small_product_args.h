#pragma once

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>

#include "rose/core/op_params.h"
#include "rose/kernels/small_product.h"

namespace rose::kernels {

/// SmallProduct's arguments as the kernel takes them.
struct SmallProductArgs {
  const std::byte* packed = nullptr;
  const __nv_bfloat16* x = nullptr;
  const void* bias = nullptr;               ///< Or null.
  const float* norm_weight = nullptr;       ///< With a norm.
  const float* norm_bias = nullptr;         ///< A layer norm of the residual; or null.
  const float* row_sums = nullptr;          ///< With a norm.
  const float* weight_sums = nullptr;       ///< A layer norm of x.
  const __nv_bfloat16* residual = nullptr;  ///< kResidual alone.
  float* row_sums_out = nullptr;            ///< Or null.
  __nv_bfloat16* out = nullptr;
  int tokens = 0;
  int out_features = 0;
  int in_features = 0;
  float epsilon = 0;
  bool bias_is_float32 = false;
  bool sums_for_layer_norm = false;  ///< row_sums_out's pairs, else squares alone.
  bool activates = false;            ///< Else kLinear leaves y as it is.
  Activation activation = Activation::kGelu;
};

using SmallProductKernel = void (*)(SmallProductArgs);

/// Null: none was compiled for the plan, or none for Hopper at all.
SmallProductKernel FindSmallProduct(SmallProductForm form, SmallProductNorm norm,
                                    const SmallProductPlan& plan);

// The same for one form and norm, each in a translation unit of its own.
SmallProductKernel FindLinear(const SmallProductPlan& plan);
SmallProductKernel FindLinearOfRmsNorm(const SmallProductPlan& plan);
SmallProductKernel FindLinearOfLayerNorm(const SmallProductPlan& plan);
SmallProductKernel FindGate(const SmallProductPlan& plan);
SmallProductKernel FindGateOfRmsNorm(const SmallProductPlan& plan);
SmallProductKernel FindGateOfLayerNorm(const SmallProductPlan& plan);
SmallProductKernel FindResidual(const SmallProductPlan& plan);
SmallProductKernel FindResidualOfLayerNorm(const SmallProductPlan& plan);

}  // namespace rose::kernels
