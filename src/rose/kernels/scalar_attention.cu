#include <cuda_bf16.h>

#include <algorithm>
#include <limits>

#include "rose/kernels/attention_tiles.h"
#include "rose/kernels/device/head_rows.cuh"
#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/simple_attention.h"

// The definition with a running softmax (Milakov and Gimelshein, 2018): a warp takes four queries
// of one head, a lane a key of 32 for the scores and every 32nd column for the sums.

namespace rose::kernels {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarpSize;
constexpr int kWarpRows = 4;
constexpr int kRows = kWarps * kWarpRows;
constexpr int kParts = kSimpleTileRows / kRows;  ///< Of a tile, one after the other.
constexpr int kKeys = kWarpSize;
constexpr int kColumnsMax = 256 / kWarpSize;  ///< Of a lane.
constexpr float kInfinity = std::numeric_limits<float>::infinity();

__device__ float ToFloat(float x) { return x; }
__device__ float ToFloat(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ void Set(float& to, float x) { to = x; }
__device__ void Set(__nv_bfloat16& to, float x) { to = __float2bfloat16_rn(x); }

/// Shared memory: rows of `stride` floats, head_dim rounded up to whole warps and one more, so that
/// 32 keys lie in 32 banks.
struct Shared {
  float* queries;  ///< [kRows]
  float* keys;     ///< [kKeys]
  float* values;   ///< [kKeys]
  int columns;     ///< Of a lane.
  int stride;

  __host__ __device__ static int Columns(int head_dim) {
    return (head_dim + kWarpSize - 1) / kWarpSize;
  }
  __host__ __device__ static int Stride(int head_dim) { return Columns(head_dim) * kWarpSize + 1; }
  static int Bytes(int head_dim) {
    return (kRows + 2 * kKeys) * Stride(head_dim) * static_cast<int>(sizeof(float));
  }
};

/// Rows first … first + count − 1; those from `end` on and columns from head_dim on become zeros.
template <typename T>
__device__ void LoadRows(const AttentionArgs& rows, const T* from, int first, int count, int end,
                         const Shared& shared, float* to) {
  for (int row = static_cast<int>(threadIdx.x) / kWarpSize; row < count; row += kWarps) {
    for (int c = static_cast<int>(threadIdx.x) % kWarpSize; c < shared.stride; c += kWarpSize) {
      const bool read = first + row < end && c < rows.head_dim;
      to[row * shared.stride + c] = read ? ToFloat(from[(first + row) * rows.row_stride + c]) : 0;
    }
  }
}

struct Row {
  float sums[kColumnsMax] = {};
  float largest = -kInfinity;
  float weight = 0;
};

__device__ float WarpMax(float x) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    x = fmaxf(x, __shfl_xor_sync(kWholeWarp, x, offset));
  }
  return x;
}

/// The lane's key, `j`, against query i, whose row is `query`.
template <typename T>
__device__ float Score(const SimpleAttentionArgs& a, const HeadRows<T>& head, const Shared& shared,
                       const float* query, int i, int j) {
  if (j >= head.length || i >= head.length || i - j > a.left || j - i > a.right) return -kInfinity;
  const float* key = shared.keys + threadIdx.x % kWarpSize * shared.stride;
  float dot = 0;
  for (int d = 0; d < a.rows.head_dim; ++d) dot += query[d] * key[d];
  return dot * a.rows.scale + (head.bias == nullptr ? 0 : head.bias[j - i]);
}

/// Takes the keys of a stage, of which this lane's has `score`, into a row.
__device__ void AddKeys(const Shared& shared, float score, Row& row) {
  const float largest = fmaxf(row.largest, WarpMax(score));
  if (largest == -kInfinity) return;  // No key seen yet.
  const float shrink = expf(row.largest - largest), weight = expf(score - largest);
  row.largest = largest;
  row.weight = row.weight * shrink + LanesSum(weight);
#pragma unroll
  for (int c = 0; c < kColumnsMax; ++c) row.sums[c] *= shrink;
  const float* values = shared.values + threadIdx.x % kWarpSize;
  for (int key = 0; key < kKeys; ++key, values += shared.stride) {
    const float share = __shfl_sync(kWholeWarp, weight, key);
    if (share == 0) continue;  // Also a key that is not seen: its value may be NaN.
#pragma unroll
    for (int c = 0; c < kColumnsMax; ++c) {
      if (c < shared.columns) row.sums[c] += share * values[c * kWarpSize];
    }
  }
}

template <typename T>
__global__ __launch_bounds__(kThreads) void ScalarAttentionKernel(SimpleAttentionArgs a) {
  extern __shared__ float memory[];
  const int stride = Shared::Stride(a.rows.head_dim);
  const Shared shared{.queries = memory,
                      .keys = memory + kRows * stride,
                      .values = memory + (kRows + kKeys) * stride,
                      .columns = Shared::Columns(a.rows.head_dim),
                      .stride = stride};
  WaitForPredecessor();
  TriggerSuccessor();
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpSize * kWarpRows;
  const int64_t tile_works = int64_t{a.rows.heads} * kParts;
  for (int64_t work = blockIdx.x; work < a.tiles_max * tile_works; work += gridDim.x) {
    const PlannedTile planned = a.tiles[work / tile_works];
    if (planned.length == 0) return;
    const int part = static_cast<int>(work % tile_works);
    const int first_query = planned.tile * kSimpleTileRows + part % kParts * kRows;
    if (first_query >= planned.length) continue;
    const HeadRows<T> head = FindHead<T>(a, planned, part / kParts);
    const int end_query = min(first_query + kRows, head.length);
    const int end_key = min(head.length, end_query + a.right);
    Row rows[kWarpRows];
    LoadRows(a.rows, head.q, first_query, kRows, head.length, shared, shared.queries);
    for (int first = max(0, first_query - a.left); first < end_key; first += kKeys) {
      LoadRows(a.rows, head.k, first, kKeys, head.length, shared, shared.keys);
      LoadRows(a.rows, head.v, first, kKeys, head.length, shared, shared.values);
      __syncthreads();
#pragma unroll
      for (int r = 0; r < kWarpRows; ++r) {
        const int i = first_query + warp_row + r;
        const float* query = shared.queries + (warp_row + r) * stride;
        AddKeys(shared, Score(a, head, shared, query, i, first + lane), rows[r]);
      }
      __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < kWarpRows; ++r) {
      const int i = first_query + warp_row + r;
      if (i >= head.length) continue;
      T* out = head.out + int64_t{i} * a.rows.heads * a.rows.head_dim;
#pragma unroll
      for (int c = 0; c < kColumnsMax; ++c) {
        const int column = lane + c * kWarpSize;
        if (column < a.rows.head_dim) Set(out[column], rows[r].sums[c] / rows[r].weight);
      }
    }
  }
}

template <typename T>
cudaError_t LaunchScalar(const Launch& launch, const SimpleAttentionArgs& args) {
  constexpr int64_t kBlocksMax = 1 << 12;
  const int bytes = Shared::Bytes(args.rows.head_dim);
  const cudaError_t error = cudaFuncSetAttribute(
      ScalarAttentionKernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return error;
  const int64_t blocks = std::min(args.tiles_max * args.rows.heads * kParts, kBlocksMax);
  return LaunchKernel(launch, ScalarAttentionKernel<T>, static_cast<unsigned>(blocks), kThreads,
                      bytes, args);
}

}  // namespace

cudaError_t ScalarAttention(const Launch& launch, const SimpleAttentionArgs& args, DType dtype) {
  return dtype == DType::kFloat32 ? LaunchScalar<float>(launch, args)
                                  : LaunchScalar<__nv_bfloat16>(launch, args);
}

}  // namespace rose::kernels
