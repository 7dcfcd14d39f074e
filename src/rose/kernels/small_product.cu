#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/quad.cuh"
#include "rose/kernels/small_product.h"
#include "rose/kernels/small_product_args.h"

namespace rose::kernels {
namespace {

SmallProductArgs ArgsOf(const void* packed, Tensor x, const SmallProductEpilogue& epilogue,
                        Tensor out, int64_t out_features) {
  SmallProductArgs args;
  args.packed = static_cast<const std::byte*>(packed);
  args.x = static_cast<const __nv_bfloat16*>(x.data);
  args.bias = epilogue.bias.data;
  args.bias_is_float32 = epilogue.bias.dtype == DType::kFloat32;
  args.norm_weight = static_cast<const float*>(epilogue.norm.weight.data);
  args.epsilon = epilogue.norm.epsilon;
  args.squares = static_cast<const float*>(epilogue.squares.data);
  args.residual = static_cast<const __nv_bfloat16*>(epilogue.residual.data);
  args.squares_out = static_cast<float*>(epilogue.squares_out.data);
  args.out = static_cast<__nv_bfloat16*>(out.data);
  args.tokens = static_cast<int>(x.rows);
  args.out_features = static_cast<int>(out_features);
  args.in_features = static_cast<int>(x.cols);
  args.activates = epilogue.activation.has_value();
  args.activation = epilogue.activation.value_or(Activation::kGelu);
  return args;
}

bool Complete(const SmallProductEpilogue& epilogue) {
  const bool gated = epilogue.form == SmallProductForm::kGate;
  const bool residual = epilogue.form == SmallProductForm::kResidual;
  const bool normed = epilogue.norm.weight.data != nullptr;
  return epilogue.activation.value_or(Activation::kGelu) <= Activation::kSilu &&
         (!gated || epilogue.activation.has_value()) &&
         residual == (epilogue.residual.data != nullptr) &&
         (residual || epilogue.squares_out.data == nullptr) &&
         normed == (epilogue.squares.data != nullptr) &&
         (!normed || (epilogue.norm.kind == NormKind::kRms && epilogue.norm.bias.data == nullptr));
}

/// A quad takes a panel's width of a row.
__global__ void SumSquaresKernel(const uint4* x, int64_t pieces, float* squares) {
  WaitForPredecessor();
  TriggerSuccessor();
  const int64_t piece = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float sum = QuadSum(piece < pieces ? SquaresOf(x[piece]) : 0);
  if (piece < pieces && piece % 4 == 0) squares[piece / 4] = sum;
}

}  // namespace

cudaError_t SmallProduct(const Launch& launch, const SmallProductPlan& plan, const void* packed,
                         Tensor x, const SmallProductEpilogue& epilogue, Tensor out) {
  if (x.rows == 0) return cudaSuccess;
  const bool normed = epilogue.norm.weight.data != nullptr;
  const int64_t out_features = epilogue.form == SmallProductForm::kGate ? 2 * out.cols : out.cols;
  const SmallProductShape shape = {.form = epilogue.form,
                                   .normed = normed,
                                   .tokens = x.rows,
                                   .out_features = out_features,
                                   .in_features = x.cols};
  const SmallProductKernel kernel = FindSmallProduct(epilogue.form, normed, plan);
  if (kernel == nullptr || !FitsPlan(shape, plan) || !Complete(epilogue)) {
    return cudaErrorInvalidValue;
  }
  const int shared_bytes = SmallProductSharedBytes(plan, x.cols);
  if (const cudaError_t error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
      error != cudaSuccess) {
    return error;
  }
  const auto blocks = static_cast<unsigned>(out_features / plan.rows * plan.split);
  return LaunchClusters(launch, kernel, static_cast<unsigned>(plan.split), dim3(blocks),
                        dim3(static_cast<unsigned>(plan.warpgroups) * 128),
                        static_cast<std::size_t>(shared_bytes),
                        ArgsOf(packed, x, epilogue, out, out_features));
}

cudaError_t SumSquares(const Launch& launch, Tensor x, Tensor squares) {
  constexpr int64_t kThreads = 128;
  if (x.cols % kPanelRows != 0) return cudaErrorInvalidValue;
  const int64_t pieces = x.elements() / 8;
  return LaunchKernel(launch, SumSquaresKernel,
                      dim3(static_cast<unsigned>((pieces + kThreads - 1) / kThreads)),
                      dim3(kThreads), 0, static_cast<const uint4*>(x.data), pieces,
                      static_cast<float*>(squares.data));
}

}  // namespace rose::kernels
