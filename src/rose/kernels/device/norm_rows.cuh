#pragma once

#include <cstdint>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/device/row_norm.cuh"
#include "rose/kernels/device/rows.cuh"
#include "rose/kernels/device/vector.cuh"
#include "rose/kernels/row_plan.h"

// Norms of rows that a Source forms.
//
//   T                          the element type of what is read and written
//   Row(row, used) → a view of one row; `used`: it is no padding, as in map_rows.cuh. Of the view:
//     Raw<kWidth> Load(column)  all that is read of the vector at `column`
//     Form(column, raw, own)    its numbers; `own`: stores what must be stored of them
//     Again(column)             its numbers, once Form has stored

namespace rose::kernels {

/// Weight and bias of a vector's columns.
template <int kWidth>
struct Affine {
  Floats<kWidth> weight;
  Floats<kWidth> bias;

  __device__ __forceinline__ Floats<kWidth> operator()(const Floats<kWidth>& x, float mean,
                                                       float scale) const {
    Floats<kWidth> out;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) out[i] = fmaf((x[i] - mean) * scale, weight[i], bias[i]);
    return out;
  }
};

template <int kWidth, bool kEarly>
__device__ __forceinline__ Affine<kWidth> LoadAffine(const RowNorm& norm, int column) {
  return {
      LoadWeights<kWidth, kEarly>(norm.weight + column),
      norm.bias == nullptr ? Filled<kWidth>(0) : LoadWeights<kWidth, kEarly>(norm.bias + column)};
}

template <int kWidth>
__device__ __forceinline__ float Sum(const Floats<kWidth>& x) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) sum += x[i];
  return sum;
}

/// Σ (x − mean)².
template <int kWidth>
__device__ __forceinline__ float SquaresAround(const Floats<kWidth>& x, float mean) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) sum = fmaf(x[i] - mean, x[i] - mean, sum);
  return sum;
}

/// blockDim.x threads a row, blockDim.y rows a block; thread x holds vectors x, x + blockDim.x, …
/// of kVectors: of the whole row where kExact. Elsewhere it reads the row's last vector in place of
/// one behind it, and lets it not count: no load waits for a branch. The mean comes first and the
/// squares are of differences: large means cost no accuracy.
template <int kWidth, int kVectors, bool kExact, typename Source>
__global__ void __launch_bounds__(RowPlan::kThreadsMax)
    NormRowsKernel(Source source, RowNorm norm, typename Source::T* out, RowCount rows, int cols) {
  using T = typename Source::T;
  __shared__ WarpSums<float, RowPlan::kThreadsMax> sums, squares_sums;
  TriggerSuccessor();
  const int row = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  int columns[kVectors];
  bool own[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    columns[i] = static_cast<int>(threadIdx.x + i * blockDim.x) * kWidth;
    own[i] = kExact || columns[i] < cols;
    if (!own[i]) columns[i] = cols - kWidth;
  }
  // With one vector a thread latency counts, and the weights wait for nobody. Otherwise they are
  // read where they are used, from the first-level cache, and leave registers for more warps.
  constexpr bool kEarly = kVectors == 1;
  Affine<kWidth> affine;
  if constexpr (kEarly) affine = LoadAffine<kWidth, kEarly>(norm, columns[0]);
  WaitForPredecessor();
  if (row >= rows.rows) return;  // With its whole warp, and no other has part of its row.
  const bool used = row < rows.Used();
  const auto view = source.Row(row, used);
  typename Source::template Raw<kWidth> raw[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) raw[i] = view.template Load<kWidth>(columns[i]);
  Floats<kWidth> x[kVectors];
  float sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    x[i] = view.template Form<kWidth>(columns[i], raw[i], own[i]);
    sum += own[i] ? Sum(x[i]) : 0;
  }
  const float mean = norm.centred ? norm.Mean(RowSum(sum, sums)) : 0;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) squares += own[i] ? SquaresAround(x[i], mean) : 0;
  const float scale = norm.Scale(RowSum(squares, squares_sums));
  T* const to = out + int64_t{row} * cols;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if constexpr (!kEarly) affine = LoadAffine<kWidth, kEarly>(norm, columns[i]);
    const Vector<T, kWidth> y = Narrow<T>(ZeroUnless(used, affine(x[i], mean, scale)));
    if (own[i]) Store(to + columns[i], y);
  }
}

/// A block a row, of any width: a thread reads its vectors again in each pass, and no other touches
/// them, so that `out` may be what the row is formed from.
template <int kWidth, typename Source>
__global__ void __launch_bounds__(RowPlan::kThreadsMax)
    NormLongRowsKernel(Source source, RowNorm norm, typename Source::T* out, RowCount rows,
                       int cols) {
  using T = typename Source::T;
  __shared__ WarpSums<float, RowPlan::kThreadsMax> sums, squares_sums;
  TriggerSuccessor();
  WaitForPredecessor();
  const int row = static_cast<int>(blockIdx.x);
  const int first = static_cast<int>(threadIdx.x) * kWidth;
  const int step = static_cast<int>(blockDim.x) * kWidth;
  const bool used = row < rows.Used();
  const auto view = source.Row(row, used);
  float sum = 0, squares = 0;
  for (int column = first; column < cols; column += step) {
    const auto raw = view.template Load<kWidth>(column);
    sum += Sum(view.template Form<kWidth>(column, raw, /*own=*/true));
  }
  const float mean = norm.centred ? norm.Mean(RowSum(sum, sums)) : 0;
  for (int column = first; column < cols; column += step) {
    squares += SquaresAround(view.template Again<kWidth>(column), mean);
  }
  const float scale = norm.Scale(RowSum(squares, squares_sums));
  T* const to = out + int64_t{row} * cols;
  for (int column = first; column < cols; column += step) {
    const Affine<kWidth> affine = LoadAffine<kWidth, false>(norm, column);
    const Floats<kWidth> y = affine(view.template Again<kWidth>(column), mean, scale);
    Store(to + column, Narrow<T>(ZeroUnless(used, y)));
  }
}

/// `width` as VectorWidth gave it for everything that is read and written.
template <typename Source>
cudaError_t NormRows(const Launch& launch, const Source& source, const NormParams& norm, int width,
                     Tensor out) {
  using T = typename Source::T;
  constexpr int kWidth = 16 / sizeof(T);
  const auto cols = static_cast<int>(out.cols);
  RowPlan plan = PlanRow(out.rows, cols / kWidth);
  if (width != kWidth) plan = {.threads = RowPlan::kThreadsMax};
  const auto run = [&](auto kernel) {
    const dim3 blocks(static_cast<unsigned>((out.rows + plan.rows - 1) / plan.rows));
    return LaunchKernel(launch, kernel, blocks, dim3(plan.threads, plan.rows), /*shared_bytes=*/0,
                        source, MakeRowNorm(norm), Elements<T>(out), CountRows(launch, out), cols);
  };
  if (width != kWidth) return run(NormLongRowsKernel<1, Source>);
  switch (plan.vectors) {
    case 1:
      return run(NormRowsKernel<kWidth, 1, false, Source>);
    case 2:
      return plan.exact ? run(NormRowsKernel<kWidth, 2, true, Source>)
                        : run(NormRowsKernel<kWidth, 2, false, Source>);
    case 3:
      return run(NormRowsKernel<kWidth, 3, true, Source>);
    case 4:
      return run(NormRowsKernel<kWidth, 4, true, Source>);
    default:
      return run(NormLongRowsKernel<kWidth, Source>);
  }
}

}  // namespace rose::kernels
