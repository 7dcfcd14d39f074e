#include <algorithm>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/map_rows.cuh"
#include "rose/kernels/device/pooling.cuh"
#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/device/rows.cuh"
#include "rose/kernels/device/vector.cuh"
#include "rose/kernels/pool.h"

namespace rose::kernels {
namespace {

constexpr int kThreadsMax = 512;

/// A block a row. Every element is read and written by one thread.
template <int kWidth, typename T>
__global__ void __launch_bounds__(kThreadsMax)
    NormalizeKernel(T* x, const uint8_t* flags, RowCount rows, int cols) {
  __shared__ WarpSums<double, kThreadsMax> sums;
  TriggerSuccessor();
  WaitForPredecessor();
  const auto row = static_cast<int>(blockIdx.x);
  if (row >= rows.Used() || (flags != nullptr && flags[row] == 0)) return;
  T* const at = x + int64_t{row} * cols;
  const int begin = static_cast<int>(threadIdx.x) * kWidth;
  const int step = static_cast<int>(blockDim.x) * kWidth;
  double squares = 0;
  for (int column = begin; column < cols; column += step) {
    squares += SquaresOf(Widen(Load<T, kWidth>(at + column)));
  }
  const float scale = InverseNorm(RowSum(squares, sums));
  for (int column = begin; column < cols; column += step) {
    const Floats<kWidth> values = Widen(Load<T, kWidth>(at + column));
    Store(at + column, Narrow<T>(Scaled(values, scale)));
  }
}

template <int kElements>
struct FillBody {
  static constexpr int kWidth = kElements;
  struct Constants {};
  struct Loaded {};

  float value;
  float* x;
  int64_t cols;

  __device__ Constants Prepare(int) const { return {}; }
  __device__ Loaded Load(int, int, bool) const { return {}; }
  __device__ void Store(int row, int column, bool, Constants, Loaded) const {
    StoreFloats(x + row * cols + column, Filled<kWidth>(value));
  }
};

template <int kWidth>
cudaError_t RunFill(const Launch& launch, float value, Tensor x) {
  const FillBody<kWidth> body{.value = value, .x = Elements<float>(x), .cols = x.cols};
  return MapRows(launch, body, CountRows(launch, x), x.cols);
}

}  // namespace

cudaError_t Normalize(const Launch& launch, const uint8_t* flags, Tensor x) {
  if (x.elements() == 0) return cudaSuccess;
  const int width = VectorWidth(x.dtype, x.cols, {x.data});
  return WithVectors(x.dtype, width, [&]<typename T, int kWidth>() {
    const int64_t vectors = x.cols / kWidth;
    const int64_t whole_warps = (vectors + kWarpSize - 1) / kWarpSize * kWarpSize;
    const auto threads = static_cast<unsigned>(std::min<int64_t>(whole_warps, kThreadsMax));
    return LaunchKernel(launch, NormalizeKernel<kWidth, T>, dim3(static_cast<unsigned>(x.rows)),
                        dim3(threads), /*shared_bytes=*/0, Elements<T>(x), flags,
                        CountRows(launch, x), static_cast<int>(x.cols));
  });
}

cudaError_t Fill(const Launch& launch, float value, Tensor x) {
  switch (VectorWidth(DType::kFloat32, x.cols, {x.data})) {
    case 4:
      return RunFill<4>(launch, value, x);
    case 2:
      return RunFill<2>(launch, value, x);
    default:
      return RunFill<1>(launch, value, x);
  }
}

}  // namespace rose::kernels
