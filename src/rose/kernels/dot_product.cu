#include <cuda_bf16.h>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/dot_product.h"

namespace rose::kernels {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 8;

template <typename T>
struct Params {
  const T* weight;
  const T* bias;
  const T* x;
  T* out;
  int64_t rows;
  int64_t in_features;
  int64_t out_features;
  const int32_t* rows_used;
  bool add;
};

template <typename T>
__global__ void DotProductKernel(Params<T> p) {
  WaitForPredecessor();
  const int64_t element = int64_t{blockIdx.x} * kWarps + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (element >= p.rows * p.out_features) return;
  const int64_t row = element / p.out_features, feature = element % p.out_features;
  const bool padding = p.rows_used != nullptr && row >= *p.rows_used;
  const T* x = p.x + row * p.in_features;
  const T* weight = p.weight + feature * p.in_features;
  float sum = 0;
  if (!padding) {
    for (int64_t i = lane; i < p.in_features; i += kWarp) {
      sum += static_cast<float>(x[i]) * static_cast<float>(weight[i]);
    }
  }
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(~0u, sum, offset);
  }
  if (lane != 0) return;
  if (!padding && p.bias != nullptr) sum += static_cast<float>(p.bias[feature]);
  if (!padding && p.add) sum += static_cast<float>(p.out[element]);
  p.out[element] = static_cast<T>(sum);
}

template <typename T>
cudaError_t Run(const Launch& launch, Tensor weight, Tensor bias, Tensor x, bool add, Tensor out) {
  const Params<T> params{.weight = static_cast<const T*>(weight.data),
                         .bias = static_cast<const T*>(bias.data),
                         .x = static_cast<const T*>(x.data),
                         .out = static_cast<T*>(out.data),
                         .rows = x.rows,
                         .in_features = x.cols,
                         .out_features = out.cols,
                         .rows_used = launch.rows_used,
                         .add = add};
  const auto blocks = static_cast<unsigned>((out.elements() + kWarps - 1) / kWarps);
  return LaunchKernel(launch, DotProductKernel<T>, dim3(blocks), kWarps * kWarp,
                      /*shared_bytes=*/0, params);
}

}  // namespace

cudaError_t DotProduct(const Launch& launch, Tensor weight, Tensor bias, Tensor x, bool add,
                       Tensor out) {
  if (out.elements() == 0) return cudaSuccess;
  return x.dtype == DType::kBFloat16 ? Run<__nv_bfloat16>(launch, weight, bias, x, add, out)
                                     : Run<float>(launch, weight, bias, x, add, out);
}

}  // namespace rose::kernels
