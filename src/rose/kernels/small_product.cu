#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/small_product.h"
#include "rose/kernels/small_product_args.h"

namespace rose::kernels {
namespace {

SmallProductNorm NormOf(const SmallProductEpilogue& epilogue) {
  if (epilogue.norm.weight.data == nullptr) return SmallProductNorm::kNone;
  return epilogue.norm.kind == NormKind::kRms ? SmallProductNorm::kRms : SmallProductNorm::kLayer;
}

SmallProductShape ShapeOf(Tensor x, const SmallProductEpilogue& epilogue, Tensor out) {
  return {.form = epilogue.form,
          .norm = NormOf(epilogue),
          .tokens = x.rows,
          .out_features = epilogue.form == SmallProductForm::kGate ? 2 * out.cols : out.cols,
          .in_features = x.cols};
}

/// Whether everything is there that the form and the norm need, and nothing else.
bool Complete(const SmallProductShape& shape, const SmallProductEpilogue& epilogue) {
  const bool gated = shape.form == SmallProductForm::kGate;
  const bool residual = shape.form == SmallProductForm::kResidual;
  const bool of_x = shape.norm == SmallProductNorm::kLayer && !residual;
  return epilogue.activation.value_or(Activation::kGelu) <= Activation::kSilu &&
         (!gated || epilogue.activation.has_value()) &&
         residual == (epilogue.residual.data != nullptr) &&
         (residual || epilogue.row_sums_out.data == nullptr) &&
         (shape.norm != SmallProductNorm::kNone) == (epilogue.row_sums.data != nullptr) &&
         of_x == (epilogue.weight_sums.data != nullptr) &&
         (shape.norm != SmallProductNorm::kRms || epilogue.norm.bias.data == nullptr);
}

SmallProductArgs ArgsOf(const void* packed, Tensor x, const SmallProductShape& shape,
                        const SmallProductEpilogue& epilogue, Tensor out) {
  const int64_t pairs = RowSumsCols(SmallProductNorm::kLayer, shape.out_features);
  SmallProductArgs args;
  args.packed = static_cast<const std::byte*>(packed);
  args.x = static_cast<const __nv_bfloat16*>(x.data);
  args.bias = epilogue.bias.data;
  args.bias_is_float32 = epilogue.bias.dtype == DType::kFloat32;
  args.norm_weight = static_cast<const float*>(epilogue.norm.weight.data);
  args.norm_bias = static_cast<const float*>(epilogue.norm.bias.data);
  args.epsilon = epilogue.norm.epsilon;
  args.row_sums = static_cast<const float*>(epilogue.row_sums.data);
  args.weight_sums = static_cast<const float*>(epilogue.weight_sums.data);
  args.residual = static_cast<const __nv_bfloat16*>(epilogue.residual.data);
  args.row_sums_out = static_cast<float*>(epilogue.row_sums_out.data);
  args.sums_for_layer_norm = epilogue.row_sums_out.cols == pairs;
  args.out = static_cast<__nv_bfloat16*>(out.data);
  args.tokens = static_cast<int>(x.rows);
  args.out_features = static_cast<int>(shape.out_features);
  args.in_features = static_cast<int>(x.cols);
  args.activates = epilogue.activation.has_value();
  args.activation = epilogue.activation.value_or(Activation::kGelu);
  return args;
}

}  // namespace

cudaError_t SmallProduct(const Launch& launch, const SmallProductPlan& plan, const void* packed,
                         Tensor x, const SmallProductEpilogue& epilogue, Tensor out) {
  if (x.rows == 0) return cudaSuccess;
  const SmallProductShape shape = ShapeOf(x, epilogue, out);
  const SmallProductKernel kernel = FindSmallProduct(shape.form, shape.norm, plan);
  if (kernel == nullptr || !FitsPlan(shape, plan) || !Complete(shape, epilogue)) {
    return cudaErrorInvalidValue;
  }
  const int shared_bytes = SmallProductSharedBytes(plan, x.cols);
  if (const cudaError_t error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
      error != cudaSuccess) {
    return error;
  }
  const auto blocks = static_cast<unsigned>(shape.out_features / plan.rows * plan.split);
  return LaunchClusters(launch, kernel, static_cast<unsigned>(plan.split), dim3(blocks),
                        dim3(static_cast<unsigned>(plan.warpgroups) * 128),
                        static_cast<std::size_t>(shared_bytes),
                        ArgsOf(packed, x, shape, epilogue, out));
}

}  // namespace rose::kernels
