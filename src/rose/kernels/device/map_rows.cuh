#pragma once

#include <cstdint>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/rows.cuh"
#include "rose/kernels/row_plan.h"

// Operations on every element of a matrix by itself, or with those of its column.
//
// A Body says what happens to one vector of a row, which begins at element `column`:
//   kWidth                          elements of a vector
//   Prepare(column) → Constants     what all rows share; runs before WaitForPredecessor
//   Load(row, column, used) → Loaded
//   Store(row, column, used, constants, loaded)
// `used` says whether the row is no padding. It comes from memory: Load needs it for addresses at
// most, Store chooses by it without a branch, and so the loads do not wait for it.

namespace rose::kernels {

/// A thread takes one vector of `kRows` rows that follow each other, so that as many loads are in
/// flight.
template <int kRows, typename Body>
__global__ void MapRowsKernel(Body body, RowCount rows, int cols) {
  TriggerSuccessor();
  const int first = static_cast<int>(blockIdx.x) * kRows;
  const int column = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x) * Body::kWidth;
  if (column >= cols) return;
  const auto constants = body.Prepare(column);
  WaitForPredecessor();
  const int used = rows.Used();
  typename Body::Loaded loaded[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = first + i;
    if (row < rows.rows) loaded[i] = body.Load(row, column, row < used);
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = first + i;
    if (row < rows.rows) body.Store(row, column, row < used, constants, loaded[i]);
  }
}

template <typename Body>
cudaError_t MapRows(const Launch& launch, const Body& body, RowCount rows, int64_t cols) {
  const MapPlan plan = PlanMap(rows.rows, cols / Body::kWidth);
  const auto kernel =
      plan.rows == 1 ? MapRowsKernel<1, Body> : MapRowsKernel<MapPlan::kRowsMany, Body>;
  return LaunchKernel(launch, kernel, dim3(plan.row_blocks, plan.column_blocks), dim3(plan.threads),
                      /*shared_bytes=*/0, body, rows, static_cast<int>(cols));
}

}  // namespace rose::kernels
