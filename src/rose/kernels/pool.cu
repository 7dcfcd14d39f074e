#include <cooperative_groups.h>

#include <algorithm>
#include <nv/target>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/pooling.cuh"
#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/device/rows.cuh"
#include "rose/kernels/device/vector.cuh"
#include "rose/kernels/pool.h"

namespace rose::kernels {
namespace {

// A fold's tiles depend on the columns alone, and with them the order of its sums: a sequence's
// result does not change with what else is in its step.
constexpr int kFoldThreads = FoldTile<1>::kThreads;
constexpr int kLanesMin = 8;
constexpr int kLanesMax = 128;
constexpr int kClusterMax = 8;  // What every device with clusters can do.

/// A pooling in device terms.
template <typename T>
struct Pooling {
  PoolingMode mode;
  const T* x;
  int cols;
  Sequences sequences;
  float* out;  ///< The first of the columns that are written.
  int64_t out_cols;
};

/// Which rows' norms become 1.
struct Normalizing {
  bool any;
  const uint8_t* flags;  ///< Null: all.

  __device__ bool At(int s) const { return any && (flags == nullptr || flags[s] != 0); }
};

/// kCls and kLastToken: a row as it is. A block a sequence.
template <int kWidth, typename T>
__global__ void __launch_bounds__(1024) PickRowKernel(Pooling<T> p, Normalizing normalizing) {
  __shared__ WarpSums<double, 1024> sums;
  TriggerSuccessor();
  WaitForPredecessor();
  const int s = static_cast<int>(blockIdx.x);
  const bool normalize = normalizing.At(s);
  const Sequence sequence = p.sequences.At(s);
  const bool last = p.mode == PoolingMode::kLastToken;
  const int first = sequence.counts_nothing() ? 0 : sequence.skipped;
  const int row = sequence.begin + (last ? sequence.tokens - 1 : first);
  const bool none = sequence.tokens == 0 || (last && sequence.counts_nothing());
  const T* const x = p.x + int64_t{row} * p.cols;
  const auto at = [&](int column) {
    return none ? Filled<kWidth>(0) : Widen(Load<T, kWidth>(x + column));
  };
  float scale = 1;
  const int begin = static_cast<int>(threadIdx.x) * kWidth;
  const int step = static_cast<int>(blockDim.x) * kWidth;
  if (normalize) {
    double squares = 0;
    for (int column = begin; column < p.cols; column += step) squares += SquaresOf(at(column));
    scale = InverseNorm(RowSum(squares, sums));
  }
  float* const out = p.out + s * p.out_cols;
  for (int column = begin; column < p.cols; column += step) {
    StoreFloats(out + column, Scaled(at(column), scale));
  }
}

/// The sum over the blocks of a cluster, in the order of their ranks, of what their first threads
/// give. `shared` is the block's own.
__device__ double ClusterSum(double value, bool first_thread, double& shared) {
  NV_IF_TARGET(NV_PROVIDES_SM_90, ({
                 const auto cluster = cooperative_groups::this_cluster();
                 if (first_thread) shared = value;
                 cluster.sync();
                 value = 0;
                 for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
                   value += *cluster.map_shared_rank(&shared, rank);
                 }
                 cluster.sync();  // The others have read this block's too: it may end.
               }))
  return value;
}

/// The poolings that see every row. Blocks that follow each other have the tiles of a sequence, and
/// are a cluster where its row is normalised.
template <bool kMax, bool kNormalize, int kWidth, typename T>
__global__ void __launch_bounds__(kFoldThreads)
    FoldRowsKernel(Pooling<T> p, Normalizing normalizing, unsigned tiles) {
  using Tile = FoldTile<kWidth>;
  __shared__ typename Tile::Folds folds;
  TriggerSuccessor();
  WaitForPredecessor();
  const auto s = static_cast<int>(blockIdx.x / tiles);
  const int first_column = static_cast<int>(blockIdx.x % tiles) * Tile::cols();
  const int tile_cols = min(Tile::cols(), p.cols - first_column);
  const Sequence sequence = p.sequences.At(s);
  auto pooled = Tile::template Run<kMax>(p.x + int64_t{sequence.begin} * p.cols + first_column,
                                         p.cols, tile_cols, sequence.skipped, sequence.tokens,
                                         p.mode == PoolingMode::kWeightedMean, folds);
  const bool writes = Tile::out_column() < tile_cols;
  const float divisor = PoolingDivisor(p.mode, sequence);
#pragma unroll
  for (int i = 0; i < Tile::kOut; ++i) {
    pooled[i] = writes && sequence.tokens > 0 ? pooled[i] / divisor : 0;
  }
  if constexpr (kNormalize) {
    __shared__ WarpSums<double, kFoldThreads> sums;
    __shared__ double block_sum;
    if (normalizing.At(s)) {
      const double squares = BlockSum(SquaresOf(pooled), Tile::thread(), kFoldThreads, sums);
      pooled = Scaled(pooled, InverseNorm(ClusterSum(squares, Tile::thread() == 0, block_sum)));
    }
  }
  float* const out = p.out + s * p.out_cols + first_column + Tile::out_column();
  if (writes) StoreFloats(out, pooled);
}

bool PicksRow(PoolingMode mode) {
  return mode == PoolingMode::kCls || mode == PoolingMode::kLastToken;
}

template <int kWidth, typename T>
cudaError_t PickRows(const Launch& launch, const Pooling<T>& pooling,
                     const Normalizing& normalizing, int64_t sequences) {
  const int vectors = pooling.cols / kWidth;
  const int threads = std::min(1024, (vectors + kWarpSize - 1) / kWarpSize * kWarpSize);
  return LaunchKernel(launch, PickRowKernel<kWidth, T>, dim3(static_cast<unsigned>(sequences)),
                      dim3(threads), /*shared_bytes=*/0, pooling, normalizing);
}

/// As few lanes as there must be for `tiles_max` tiles to hold a row, or 0 if none are enough.
int LanesOf(int vectors, int tiles_max) {
  for (int lanes = kLanesMin; lanes <= kLanesMax; lanes *= 2) {
    if (lanes * tiles_max >= vectors) return lanes;
  }
  return 0;
}

template <bool kNormalize, int kWidth, typename T>
cudaError_t FoldAllRows(const Launch& launch, const Pooling<T>& pooling,
                        const Normalizing& normalizing, int64_t sequences, int lanes) {
  const int vectors = pooling.cols / kWidth;
  const int tiles = (vectors + lanes - 1) / lanes;
  const auto kernel = pooling.mode == PoolingMode::kMax
                          ? FoldRowsKernel<true, kNormalize, kWidth, T>
                          : FoldRowsKernel<false, kNormalize, kWidth, T>;
  return LaunchClusters(launch, kernel, static_cast<unsigned>(kNormalize ? tiles : 1),
                        dim3(static_cast<unsigned>(sequences * tiles)),
                        dim3(lanes, kFoldThreads / lanes), /*shared_bytes=*/0, pooling, normalizing,
                        static_cast<unsigned>(tiles));
}

bool HasClusters() {
  int device = 0, clusters = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device) == cudaSuccess &&
         clusters != 0;
}

template <typename T>
Pooling<T> MakePooling(PoolingMode mode, Tensor x, const int32_t* cu_seqlens, const int32_t* skip,
                       int64_t column, Tensor out) {
  return {.mode = mode,
          .x = Elements<T>(x),
          .cols = static_cast<int>(x.cols),
          .sequences = {.cu_seqlens = cu_seqlens, .skip = skip},
          .out = Elements<float>(out) + column,
          .out_cols = out.cols};
}

}  // namespace

cudaError_t Pool(const Launch& launch, PoolingMode mode, Tensor x, const int32_t* cu_seqlens,
                 const int32_t* skip, int64_t column, Tensor out) {
  if (x.cols == 0) return cudaSuccess;
  return WithVectors(x.dtype, PoolingWidth(x, column, out), [&]<typename T, int kWidth>() {
    const Pooling<T> pooling = MakePooling<T>(mode, x, cu_seqlens, skip, column, out);
    if (PicksRow(mode)) return PickRows<kWidth>(launch, pooling, {}, out.rows);
    constexpr int kLanes = FoldTile<kWidth>::template LanesFor<T>();
    return FoldAllRows<false, kWidth>(launch, pooling, {}, out.rows, kLanes);
  });
}

cudaError_t PoolNormalize(const Launch& launch, PoolingMode mode, Tensor x,
                          const int32_t* cu_seqlens, const int32_t* skip, const uint8_t* flags,
                          Tensor out) {
  if (x.cols == 0) return cudaSuccess;
  const int width = PoolingWidth(x, 0, out);
  const int lanes = LanesOf(static_cast<int>(x.cols) / width, kClusterMax);
  if (!PicksRow(mode) && (lanes == 0 || !HasClusters())) {
    const cudaError_t error = Pool(launch, mode, x, cu_seqlens, skip, /*column=*/0, out);
    if (error != cudaSuccess) return error;
    Launch whole = launch;
    whole.rows_used = nullptr;
    return Normalize(whole, flags, out);
  }
  return WithVectors(x.dtype, width, [&]<typename T, int kWidth>() {
    const Pooling<T> pooling = MakePooling<T>(mode, x, cu_seqlens, skip, /*column=*/0, out);
    const Normalizing normalizing{.any = true, .flags = flags};
    if (PicksRow(mode)) return PickRows<kWidth>(launch, pooling, normalizing, out.rows);
    return FoldAllRows<true, kWidth>(launch, pooling, normalizing, out.rows, lanes);
  });
}

}  // namespace rose::kernels
