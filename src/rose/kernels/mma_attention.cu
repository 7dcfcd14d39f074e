#include <cuda_bf16.h>

#include <algorithm>
#include <limits>

#include "rose/kernels/attention_tiles.h"
#include "rose/kernels/device/head_rows.cuh"
#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/device/warp_mma.cuh"
#include "rose/kernels/simple_attention.h"

// FlashAttention 2 (Dao, 2023) in its plainest form: a block takes a tile of queries of one head, a
// warp 16 of them, and passes once over the keys that the tile sees, a stage of them in shared
// memory while the next two are on their way. Of other sequences nothing is read: rows behind the
// own one's end are zeros in shared memory, so that even a NaN there cannot come in as 0 · NaN.

namespace rose::kernels {
namespace {

using Bf16 = __nv_bfloat16;

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kWarpSize;
constexpr int kWarpRows = kSimpleTileRows / kWarps;
static_assert(kWarpRows == 16, "of an mma");
constexpr int kStages = 3;
constexpr float kLog2E = 1.4426950408889634f;

/// head_dim rounded up to kDim; the columns above it are zeros.
template <int kDim>
struct Shared {
  static constexpr int kKeys = kDim <= 64 ? 64 : kDim <= 128 ? 32 : 16;  ///< Of a stage.
  static constexpr int kStride = kDim + 8;  ///< Eight rows of a matrix lie in different banks.
  static constexpr int kBand = kSimpleTileRows + kKeys;

  alignas(16) Bf16 queries[kSimpleTileRows][kStride];
  alignas(16) Bf16 keys[kStages][kKeys][kStride];
  alignas(16) Bf16 values[kStages][kKeys][kStride];
  float band[kStages][kBand];  ///< Entry j − i + last tile row: the bias, times log2 e.
};

/// One tile of queries of one head.
struct Tile {
  HeadRows<Bf16> rows;
  int first;       ///< Query.
  int begin_keys;  ///< Which some query sees.
  int end_keys;
};

__device__ Tile FindTile(const SimpleAttentionArgs& a, const PlannedTile& planned, int head) {
  Tile tile;
  tile.rows = FindHead<Bf16>(a, planned, head);
  tile.first = planned.tile * kSimpleTileRows;
  const int last = min(tile.first + kSimpleTileRows, planned.length) - 1;
  tile.begin_keys = max(0, tile.first - a.left);
  tile.end_keys = min(planned.length, last + a.right + 1);
  return tile;
}

/// Begins to copy rows first … first + kRows − 1; those from `end` on and columns from head_dim on
/// become zeros.
template <int kDim, int kRows>
__device__ void CopyRows(const AttentionArgs& rows, const Bf16* from, int first, int end,
                         Bf16 (*to)[Shared<kDim>::kStride]) {
  constexpr int kChunks = kDim / 8;
#pragma unroll
  for (int i = 0; i < kRows * kChunks; i += kThreads) {
    const int chunk = i + static_cast<int>(threadIdx.x);
    if (kRows * kChunks % kThreads != 0 && chunk >= kRows * kChunks) break;
    const int row = chunk / kChunks, column = chunk % kChunks * 8;
    const bool read = first + row < end && column < rows.head_dim;
    const Bf16* source = read ? from + (first + row) * rows.row_stride + column : from;
    CopyOrZero(&to[row][column], source, read);
  }
}

/// The biases of a stage: those of keys `first` … and the tile's queries.
template <int kDim>
__device__ void LoadBand(const SimpleAttentionArgs& a, const Tile& tile, int first, float* band) {
  for (int i = static_cast<int>(threadIdx.x); i < Shared<kDim>::kBand; i += kThreads) {
    const int distance = first - tile.first + i - (kSimpleTileRows - 1);
    const bool read = abs(distance) < a.positions;
    band[i] = read ? tile.rows.bias[distance] * kLog2E : 0;
  }
}

/// What a warp knows of its 16 queries while the keys pass. A lane has two rows: l / 4 and the
/// eighth behind it.
template <int kDim>
struct Rows {
  float sums[kDim / 8][4] = {};  ///< Of the values, by weight.
  float largest[2] = {-std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity()};
  float weights[2] = {};  ///< This lane's share of the sum.
};

/// The sixteen columns from 16 · step on of the warp's queries, as A.
template <int kDim>
__device__ void LoadQueries(const Shared<kDim>& shared, int step, uint32_t (&a)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int row = static_cast<int>(threadIdx.x) / kWarpSize * kWarpRows + lane % 16;
  LoadMatrices(&shared.queries[row][16 * step + lane / 16 * 8], a);
}

template <int kDim, int kKeys>
__device__ void Scores(const Shared<kDim>& shared, int stage, float (&scores)[kKeys / 8][4]) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
#pragma unroll
  for (int step = 0; step < kDim / 16; ++step) {
    uint32_t queries[4];
    LoadQueries(shared, step, queries);
#pragma unroll
    for (int key = 0; key < kKeys; key += 16) {
      uint32_t keys[4];
      const int row = key + lane / 16 * 8 + lane % 8;
      LoadMatrices(&shared.keys[stage][row][16 * step + lane / 8 % 2 * 8], keys);
      MultiplyAdd(scores[key / 8], queries, keys[0], keys[1]);
      MultiplyAdd(scores[key / 8 + 1], queries, keys[2], keys[3]);
    }
  }
}

/// Scales to powers of two, adds the bias and puts −∞ where a query does not see a key. `query` and
/// `key` are those of element 0.
template <int kKeys>
__device__ void ScaleAndMask(const SimpleAttentionArgs& a, const Tile& tile, const float* band,
                             bool masked, int query, int key, int first_key,
                             float (&scores)[kKeys / 8][4]) {
  const float scale = a.rows.scale * kLog2E;
#pragma unroll
  for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = query + e / 2 * 8, j = key + 8 * n + e % 2;
      float score = scores[n][e] * scale;
      if (tile.rows.bias != nullptr) {
        score += band[j - first_key - (i - tile.first) + kSimpleTileRows - 1];
      }
      const bool seen = j < tile.rows.length && i - j <= a.left && j - i <= a.right;
      scores[n][e] = !masked || seen ? score : -std::numeric_limits<float>::infinity();
    }
  }
}

/// Makes the scores weights, relative to the largest so far, and what was summed before too.
template <int kDim, int kKeys>
__device__ void Weigh(Rows<kDim>& rows, float (&scores)[kKeys / 8][4]) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float largest = rows.largest[h];
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
      largest = fmaxf(largest, fmaxf(scores[n][2 * h], scores[n][2 * h + 1]));
    }
    largest = fmaxf(largest, __shfl_xor_sync(kWholeWarp, largest, 1));
    largest = fmaxf(largest, __shfl_xor_sync(kWholeWarp, largest, 2));
    // While a query has seen no key, all is −∞: measured from 0 its weights are 0 and not NaN.
    const float origin = largest == -std::numeric_limits<float>::infinity() ? 0 : largest;
    const float shrink = Exp2(rows.largest[h] - origin);
    rows.largest[h] = largest;
    float sum = 0;
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
      for (int e = 2 * h; e < 2 * h + 2; ++e) {
        scores[n][e] = Exp2(scores[n][e] - origin);
        sum += scores[n][e];
      }
    }
    rows.weights[h] = rows.weights[h] * shrink + sum;
#pragma unroll
    for (int n = 0; n < kDim / 8; ++n) {
      rows.sums[n][2 * h] *= shrink;
      rows.sums[n][2 * h + 1] *= shrink;
    }
  }
}

template <int kDim, int kKeys>
__device__ void AddValues(const Shared<kDim>& shared, int stage,
                          const float (&weights)[kKeys / 8][4], Rows<kDim>& rows) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
#pragma unroll
  for (int key = 0; key < kKeys; key += 16) {
    const float(&low)[4] = weights[key / 8];
    const float(&high)[4] = weights[key / 8 + 1];
    const uint32_t a[4] = {Pack(low[0], low[1]), Pack(low[2], low[3]), Pack(high[0], high[1]),
                           Pack(high[2], high[3])};
#pragma unroll
    for (int column = 0; column < kDim; column += 16) {
      uint32_t values[4];
      LoadTransposed(&shared.values[stage][key + lane % 16][column + lane / 16 * 8], values);
      MultiplyAdd(rows.sums[column / 8], a, values[0], values[1]);
      MultiplyAdd(rows.sums[column / 8 + 1], a, values[2], values[3]);
    }
  }
}

/// One stage of keys for the warp's 16 queries from `query` on.
template <int kDim>
__device__ void Attend(const SimpleAttentionArgs& a, const Tile& tile, const Shared<kDim>& shared,
                       int stage, int first_key, int first_query, Rows<kDim>& rows) {
  constexpr int kKeys = Shared<kDim>::kKeys;
  const int last_query = min(first_query + kWarpRows, tile.rows.length) - 1;
  const int last_key = first_key + kKeys - 1;
  const bool unseen = first_query > last_query || first_key - last_query > a.right ||
                      first_query - last_key > a.left;
  if (unseen) return;
  const bool all_seen = last_key < tile.rows.length && last_key - first_query <= a.right &&
                        last_query - first_key <= a.left;
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  float scores[kKeys / 8][4] = {};
  Scores<kDim, kKeys>(shared, stage, scores);
  ScaleAndMask<kKeys>(a, tile, shared.band[stage], !all_seen, first_query + lane / 4,
                      first_key + lane % 4 * 2, first_key, scores);
  Weigh<kDim, kKeys>(rows, scores);
  AddValues<kDim, kKeys>(shared, stage, scores, rows);
}

template <int kDim>
__device__ void StoreRows(const AttentionArgs& args, const Tile& tile, int first_query,
                          Rows<kDim>& rows) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const float inverse[2] = {1 / LanesSum(rows.weights[0], 4), 1 / LanesSum(rows.weights[1], 4)};
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int query = first_query + lane / 4 + 8 * h;
    if (query >= tile.rows.length) return;
    Bf16* out = tile.rows.out + int64_t{query} * args.heads * args.head_dim + lane % 4 * 2;
#pragma unroll
    for (int n = 0; n < kDim / 8; ++n) {
      if (8 * n >= args.head_dim) break;
      *reinterpret_cast<uint32_t*>(out + 8 * n) =
          Pack(rows.sums[n][2 * h] * inverse[h], rows.sums[n][2 * h + 1] * inverse[h]);
    }
  }
}

template <int kDim>
__global__ __launch_bounds__(kThreads) void MmaAttentionKernel(SimpleAttentionArgs a) {
  constexpr int kKeys = Shared<kDim>::kKeys;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shared<kDim>*>(memory);
  WaitForPredecessor();
  TriggerSuccessor();
  for (int64_t work = blockIdx.x; work < a.tiles_max * a.rows.heads; work += gridDim.x) {
    const PlannedTile planned = a.tiles[work / a.rows.heads];
    if (planned.length == 0) return;
    const Tile tile = FindTile(a, planned, static_cast<int>(work % a.rows.heads));
    const int query = tile.first + static_cast<int>(threadIdx.x) / kWarpSize * kWarpRows;
    Rows<kDim> rows;
    const auto copy_stage = [&](int first_key, int stage) {
      if (first_key < tile.end_keys) {
        CopyRows<kDim, kKeys>(a.rows, tile.rows.k, first_key, tile.end_keys, shared.keys[stage]);
        CopyRows<kDim, kKeys>(a.rows, tile.rows.v, first_key, tile.end_keys, shared.values[stage]);
      }
      CommitCopies();
    };
    CopyRows<kDim, kSimpleTileRows>(a.rows, tile.rows.q, tile.first, tile.rows.length,
                                    shared.queries);
    for (int stage = 0; stage < kStages - 1; ++stage) {
      copy_stage(tile.begin_keys + stage * kKeys, stage);
    }
    int stage = 0;
    for (int key = tile.begin_keys; key < tile.end_keys; key += kKeys) {
      if (tile.rows.bias != nullptr) LoadBand<kDim>(a, tile, key, shared.band[stage]);
      WaitForCopies<kStages - 2>();
      __syncthreads();  // The stage is there, and nobody reads the one before it any more.
      copy_stage(key + (kStages - 1) * kKeys, stage == 0 ? kStages - 1 : stage - 1);
      Attend(a, tile, shared, stage, key, query, rows);
      stage = stage == kStages - 1 ? 0 : stage + 1;
    }
    StoreRows(a.rows, tile, query, rows);
    __syncthreads();
  }
}

template <int kDim>
cudaError_t LaunchMma(const Launch& launch, const SimpleAttentionArgs& args) {
  constexpr int kBytes = sizeof(Shared<kDim>);
  constexpr int64_t kBlocksMax = 1 << 12;
  const cudaError_t error = cudaFuncSetAttribute(
      MmaAttentionKernel<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  const int64_t blocks = std::min(args.tiles_max * args.rows.heads, kBlocksMax);
  return LaunchKernel(launch, MmaAttentionKernel<kDim>, static_cast<unsigned>(blocks), kThreads,
                      kBytes, args);
}

}  // namespace

cudaError_t MmaAttention(const Launch& launch, const SimpleAttentionArgs& args) {
  if (args.rows.head_dim <= 32) return LaunchMma<32>(launch, args);
  if (args.rows.head_dim <= 64) return LaunchMma<64>(launch, args);
  if (args.rows.head_dim <= 128) return LaunchMma<128>(launch, args);
  return LaunchMma<256>(launch, args);
}

}  // namespace rose::kernels
