#pragma once

#include <algorithm>
#include <limits>

#include "rose/kernels/device/launch_kernel.cuh"
#include "rose/kernels/device/named_barrier.cuh"
#include "rose/kernels/short_attention_rows.cuh"

// Attention of few tokens, bound by latency: as many blocks as there are multiprocessors, all of
// whose warps work on the same few queries, and nothing that can be known before the predecessor
// has ended left for later. Warps that share 16 rows of queries each take some of the stage's keys,
// for scores and weights, and then some of the columns, for the weighted sums: so neither is
// computed twice nor anything but maxima and weights exchanged.

namespace rose::kernels {

template <int kDim_, int kRows_, bool kTurn_, bool kNorm_>
struct ShortShape {
  static constexpr int kDim = kDim_;
  static constexpr int kRows = kRows_;  ///< Of queries.
  static constexpr bool kTurn = kTurn_;
  static constexpr bool kNorm = kNorm_;
  static constexpr int kKeys = 8192 / kDim;  ///< Of a stage.
  static constexpr int kRowGroups = kRows / 16;
  static constexpr int kWarps = std::min(8, kRowGroups* kDim / 16);
  static constexpr int kThreads = kWarps * kWarpSize;
  static constexpr int kParts = kWarps / kRowGroups;  ///< Warps that share rows.
  static constexpr int kPartKeys = kKeys / kParts;
  static constexpr int kPartColumns = kDim / kParts;
  static constexpr int kStages = 2;
  static_assert(kPartKeys % 8 == 0 && kPartColumns % 16 == 0, "of a product");

  using Share = RowShare<kDim, kThreads>;
};

template <typename Shape>
struct ShortShared {
  static constexpr int kStride = Shape::kDim + 8;  ///< Eight rows of a matrix in different banks.
  static constexpr int kWeightStride = Shape::kKeys + 8;

  alignas(16) Bf16 queries[Shape::kRows][kStride];
  alignas(16) Bf16 keys[Shape::kStages][Shape::kKeys][kStride];
  alignas(16) Bf16 values[Shape::kStages][Shape::kKeys][kStride];
  alignas(16) Bf16 weights[Shape::kRows][kWeightStride];
  float largest[Shape::kParts][Shape::kRows];  ///< Scores of a stage.
  float sums[Shape::kParts][Shape::kRows];     ///< Of all weights, at the end.
};

/// What the rows of the block's tile are, and this thread's share of loading them.
template <typename Shape>
class ShortRows {
 public:
  using Share = typename Shape::Share;

  __device__ ShortRows(const ShortAttentionArgs& a, const ShortTile& tile)
      : a_(a), tile_(tile), group_(static_cast<int>(a.group.divisor())) {
    const int last = min(tile.first + Shape::kRows, tile.length * group_) - 1;
    end_keys_ = a.causal ? Token(last) + 1 : tile.length;
  }

  /// Keys that some query sees.
  __device__ int end_keys() const { return end_keys_; }
  /// Rows of a stage from key `first` on that are computed with: whole products.
  __device__ int UsedKeys(int first) const {
    return max(0, min(Shape::kKeys, (end_keys_ - first + 15) / 16 * 16));
  }
  /// Keys that row `row` of the tile sees; all for rows behind the sequence's last.
  __device__ int SeenKeys(int row) const {
    return a_.causal ? min(Token(tile_.first + row) + 1, tile_.length) : tile_.length;
  }
  /// Where a row's output begins, or null behind the sequence's last.
  __device__ Bf16* Out(int row) const {
    const int packed = tile_.first + row;
    if (packed >= tile_.length * group_) return nullptr;
    const int64_t token = tile_.row + Token(packed);
    return static_cast<Bf16*>(a_.rows.out) + (token * a_.rows.heads + Head(packed)) * Shape::kDim;
  }

  __device__ void CopyQueries(ShortShared<Shape>& shared) const {
    ForQueries([&](int, int row) {
      const int packed = tile_.first + row;
      const bool read = packed < tile_.length * group_;
      const int64_t token = tile_.row + Token(packed);
      const auto* q = static_cast<const Bf16*>(a_.rows.q);
      const Bf16* from = q + token * a_.rows.row_stride + int64_t{Head(packed)} * Shape::kDim;
      share_.Copy(read ? from : q, read, shared.queries[row]);
    });
  }
  /// A stage of keys and values from key `first` on, those behind end_keys() zeros.
  __device__ void CopyStage(int first, int stage, ShortShared<Shape>& shared) const {
    const auto* k = static_cast<const Bf16*>(a_.rows.k) + int64_t{tile_.kv_head} * Shape::kDim;
    const auto* v = static_cast<const Bf16*>(a_.rows.v) + int64_t{tile_.kv_head} * Shape::kDim;
    ForKeys(first, [&](int, int row) {
      const bool read = first + row < end_keys_;
      const int64_t at = read ? (int64_t{tile_.row} + first + row) * a_.rows.row_stride : 0;
      share_.Copy(k + at, read, shared.keys[stage][row]);
      share_.Copy(v + at, read, shared.values[stage][row]);
    });
  }

  /// The turns of the queries and of the first stage's keys.
  __device__ void LoadTurns() {
    int positions[kQueryCount] = {};
    ForQueries([&](int i, int row) {
      const int packed = tile_.first + row;
      positions[i] = Position(packed < tile_.length * group_ ? Token(packed) : 0);
    });
    LoadPositions(0);
    ForQueries([&](int i, int) { query_turns_[i] = TurnOf(positions[i]); });
    LoadKeyTurns(0);
  }
  /// Those of the stage from key `first` on, the first or the one behind the last.
  __device__ void LoadKeyTurns(int first) {
    ForKeys(first, [&](int i, int) { key_turns_[i] = TurnOf(key_positions_[i]); });
    LoadPositions(first + Shape::kKeys);  // So that no turn waits for its position.
  }
  __device__ void LoadNorms() {
    q_norm_ = LoadHeadScale<Share::kHalf>(a_.q_weight + share_.at, a_.q_epsilon);
    k_norm_ = LoadHeadScale<Share::kHalf>(a_.k_weight + share_.at, a_.k_epsilon);
  }
  /// Norms and turns what this thread has copied.
  __device__ void PrepareQueries(ShortShared<Shape>& shared) const {
    ForQueries([&](int i, int row) {
      PrepareRow<Share::kHalf, Shape::kNorm>(q_norm_, query_turns_[i],
                                             &shared.queries[row][share_.at]);
    });
  }
  __device__ void PrepareKeys(int first, int stage, ShortShared<Shape>& shared) const {
    ForKeys(first, [&](int i, int row) {
      PrepareRow<Share::kHalf, Shape::kNorm>(k_norm_, key_turns_[i],
                                             &shared.keys[stage][row][share_.at]);
    });
  }

 private:
  static constexpr int kQueryCount = Share::Count(Shape::kRows);
  static constexpr int kKeyCount = Share::Count(Shape::kKeys);

  __device__ int Token(int packed) const { return static_cast<int>(a_.group.Quotient(packed)); }
  __device__ int Head(int packed) const {
    return tile_.kv_head * group_ + packed - Token(packed) * group_;
  }
  __device__ int Position(int token) const {
    return ReadEarly(a_.position_ids + tile_.row + token);
  }
  __device__ void LoadPositions(int first) {
    ForKeys(first, [&](int i, int row) {
      key_positions_[i] = Position(first + row < end_keys_ ? first + row : 0);
    });
  }
  __device__ Turn TurnOf(int position) const {
    return LoadTurn<Share::kHalf>(a_.table + int64_t{position} * Shape::kDim + share_.at);
  }
  /// body(i, row) of this thread's rows; whole warps go along, since 16 rows are whole ones of
  /// each.
  template <typename Body>
  __device__ void ForQueries(const Body& body) const {
#pragma unroll
    for (int i = 0; i < kQueryCount; ++i) {
      const int row = share_.first + i * Share::kStep;
      if (row < Shape::kRows) body(i, row);
    }
  }
  template <typename Body>
  __device__ void ForKeys(int first, const Body& body) const {
    const int used = UsedKeys(first);
#pragma unroll
    for (int i = 0; i < kKeyCount; ++i) {
      const int row = share_.first + i * Share::kStep;
      if (row < used) body(i, row);
    }
  }

  const ShortAttentionArgs& a_;
  ShortTile tile_;
  int group_;
  int end_keys_;
  Share share_;
  HeadScale q_norm_;
  HeadScale k_norm_;
  Turn query_turns_[kQueryCount];
  Turn key_turns_[kKeyCount];
  int key_positions_[kKeyCount];  ///< Of the stage behind it.
};

/// A warp's 16 rows of queries while the keys pass. A lane has two rows: lane / 4 and the eighth
/// behind it.
template <typename Shape>
class ShortWarp {
 public:
  __device__ explicit ShortWarp(ShortShared<Shape>& shared) : shared_(shared) {}

  __device__ int row(int half) const { return row_ + lane_ / 4 + 8 * half; }

  /// One stage: `used` rows of it count, and of those the keys below seen[half] − first.
  __device__ void Attend(int stage, int first, int used, const int (&seen)[2], float scale) {
    float scores[kTiles][4] = {};
    const int first_key = part_ * Shape::kPartKeys;
    const bool active = first_key < used;
    if (active) {
      Score(stage, first_key, scores);
      ScaleAndMask(first + first_key, seen, scale, scores);
      ShareLargest(scores);
    }
    Meet();
    float largest[2];
    CollectLargest((used + Shape::kPartKeys - 1) / Shape::kPartKeys, largest);
    if (active) Weigh(first_key, largest, scores);
    Rescale(largest);
    Meet();
    AddValues(stage, used);
  }

  /// The sums over the warps that share rows; then the rows' output, rounded.
  template <typename Rows>
  __device__ void Store(const Rows& rows) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float sum = LanesSum(weight_[h], 4);
      if (lane_ % 4 == 0) shared_.sums[part_][row(h)] = sum;
    }
    Meet();
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      Bf16* const out = rows.Out(row(h));
      if (out == nullptr) continue;
      float sum = 0;
#pragma unroll
      for (int part = 0; part < Shape::kParts; ++part) sum += shared_.sums[part][row(h)];
      const float inverse = 1 / sum;
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        *reinterpret_cast<uint32_t*>(out + column_ + 8 * n + lane_ % 4 * 2) =
            Pack(sums_[n][2 * h] * inverse, sums_[n][2 * h + 1] * inverse);
      }
    }
  }

 private:
  static constexpr int kTiles = Shape::kPartKeys / 8;
  static constexpr int kColumnTiles = Shape::kPartColumns / 8;
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  /// The warps that share these rows.
  __device__ void Meet() const { MeetThreads(1 + row_ / 16, Shape::kParts * kWarpSize); }

  /// Odd steps are summed apart: few tiles would wait for each other's products.
  __device__ void Score(int stage, int first_key, float (&scores)[kTiles][4]) const {
    float odd[kTiles][4] = {};
#pragma unroll
    for (int column = 0; column < Shape::kDim; column += 32) {
      uint32_t low[4], high[4];
      LoadMatrices(&shared_.queries[row_ + lane_ % 16][column + lane_ / 16 * 8], low);
      LoadMatrices(&shared_.queries[row_ + lane_ % 16][column + 16 + lane_ / 16 * 8], high);
#pragma unroll
      for (int n = 0; n < kTiles; ++n) {
        uint32_t keys[4];
        LoadMatrices(&shared_.keys[stage][first_key + 8 * n + lane_ % 8][column + lane_ / 8 * 8],
                     keys);
        MultiplyAdd(scores[n], low, keys[0], keys[1]);
        MultiplyAdd(odd[n], high, keys[2], keys[3]);
      }
    }
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) scores[n][e] += odd[n][e];
    }
  }
  /// To powers of two, and −∞ for keys that a row does not see.
  __device__ void ScaleAndMask(int first, const int (&seen)[2], float scale,
                               float (&scores)[kTiles][4]) const {
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int key = first + 8 * n + lane_ % 4 * 2 + e % 2;
        scores[n][e] = key < seen[e / 2] ? scores[n][e] * scale : -kInfinity;
      }
    }
  }
  __device__ void ShareLargest(const float (&scores)[kTiles][4]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float largest = -kInfinity;
#pragma unroll
      for (int n = 0; n < kTiles; ++n) {
        largest = fmaxf(largest, fmaxf(scores[n][2 * h], scores[n][2 * h + 1]));
      }
      largest = fmaxf(largest, __shfl_xor_sync(kWholeWarp, largest, 1));
      largest = fmaxf(largest, __shfl_xor_sync(kWholeWarp, largest, 2));
      if (lane_ % 4 == 0) shared_.largest[part_][row(h)] = largest;
    }
  }
  /// Of all keys so far, those of `parts` warps among them. Every row sees the first key, so that
  /// it is never −∞.
  __device__ void CollectLargest(int parts, float (&largest)[2]) const {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      largest[h] = largest_[h];
#pragma unroll
      for (int part = 0; part < Shape::kParts; ++part) {
        if (part < parts) largest[h] = fmaxf(largest[h], shared_.largest[part][row(h)]);
      }
    }
  }
  /// What was summed so far, relative to the new largest.
  __device__ void Rescale(const float (&largest)[2]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float shrink = Exp2(largest_[h] - largest[h]);
      largest_[h] = largest[h];
      weight_[h] = weight_[h] * shrink + stage_weight_[h];
      stage_weight_[h] = 0;
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        sums_[n][2 * h] *= shrink;
        sums_[n][2 * h + 1] *= shrink;
      }
    }
  }
  __device__ void Weigh(int first_key, const float (&largest)[2], float (&scores)[kTiles][4]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
      for (int n = 0; n < kTiles; ++n) {
        const float first = Exp2(scores[n][2 * h] - largest[h]);
        const float second = Exp2(scores[n][2 * h + 1] - largest[h]);
        stage_weight_[h] += first + second;
        *reinterpret_cast<uint32_t*>(&shared_.weights[row(h)][first_key + 8 * n + lane_ % 4 * 2]) =
            Pack(first, second);
      }
    }
  }
  __device__ void AddValues(int stage, int used) {
#pragma unroll
    for (int key = 0; key < Shape::kKeys; key += 16) {
      if (key >= used) break;
      uint32_t weights[4];
      LoadMatrices(&shared_.weights[row_ + lane_ % 16][key + lane_ / 16 * 8], weights);
#pragma unroll
      for (int n = 0; n < kColumnTiles; n += 2) {
        uint32_t values[4];
        LoadTransposed(&shared_.values[stage][key + lane_ % 16][column_ + 8 * n + lane_ / 16 * 8],
                       values);
        MultiplyAdd(sums_[n], weights, values[0], values[1]);
        MultiplyAdd(sums_[n + 1], weights, values[2], values[3]);
      }
    }
  }

  ShortShared<Shape>& shared_;
  int lane_ = static_cast<int>(threadIdx.x) % kWarpSize;
  int part_ = static_cast<int>(threadIdx.x) / kWarpSize % Shape::kParts;
  int row_ = static_cast<int>(threadIdx.x) / kWarpSize / Shape::kParts * 16;
  int column_ = part_ * Shape::kPartColumns;
  float sums_[kColumnTiles][4] = {};
  float largest_[2] = {-kInfinity, -kInfinity};
  float weight_[2] = {};        ///< This lane's share of the sum.
  float stage_weight_[2] = {};  ///< The same of the stage.
};

template <typename Shape>
__global__ __launch_bounds__(Shape::kThreads) void ShortAttentionKernel(
    const __grid_constant__ ShortAttentionArgs a) {
  constexpr int kKeys = Shape::kKeys;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<ShortShared<Shape>*>(memory);
  TriggerSuccessor();
  const ShortTile tile = FindShortTile<Shape::kRows>(a);
  if (tile.length == 0) {
    WaitForPredecessor();
    return;
  }
  ShortRows<Shape> rows(a, tile);
  if constexpr (Shape::kNorm) rows.LoadNorms();
  if constexpr (Shape::kTurn) rows.LoadTurns();
  WaitForPredecessor();
  rows.CopyQueries(shared);
  rows.CopyStage(0, 0, shared);
  CommitCopies();
  if (kKeys < rows.end_keys()) rows.CopyStage(kKeys, 1, shared);
  CommitCopies();
  WaitForCopies<1>();
  const auto prepare = [&](int first, int stage) {
    if constexpr (!Shape::kTurn) return;
    rows.PrepareKeys(first, stage, shared);
    if (first + kKeys < rows.end_keys()) rows.LoadKeyTurns(first + kKeys);
  };
  if constexpr (Shape::kTurn) rows.PrepareQueries(shared);
  prepare(0, 0);
  ShortWarp<Shape> warp(shared);
  const int seen[2] = {rows.SeenKeys(warp.row(0)), rows.SeenKeys(warp.row(1))};
  const float scale = a.rows.scale * 1.4426950408889634f;  // log₂ e
  int stage = 0;
  for (int first = 0; first < rows.end_keys(); first += kKeys, stage ^= 1) {
    const int next = first + kKeys;
    __syncthreads();  // The stage is there, and nobody reads the one before it any more.
    if (first > 0 && next < rows.end_keys()) rows.CopyStage(next, stage ^ 1, shared);
    CommitCopies();
    warp.Attend(stage, first, rows.UsedKeys(first), seen, scale);
    if (next >= rows.end_keys()) break;
    WaitForCopies<0>();
    prepare(next, stage ^ 1);
  }
  warp.Store(rows);
}

template <typename Shape>
cudaError_t LaunchShortAttention(const Launch& launch, const ShortAttentionArgs& args,
                                 unsigned blocks) {
  constexpr int kBytes = sizeof(ShortShared<Shape>);
  static_assert(kBytes <= 99 << 10, "what every device since compute capability 8.0 has");
  const cudaError_t error = cudaFuncSetAttribute(
      ShortAttentionKernel<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (error != cudaSuccess) return error;
  return LaunchKernel(launch, ShortAttentionKernel<Shape>, blocks, Shape::kThreads, kBytes, args);
}

template <int kDim, int kRows>
cudaError_t LaunchShortRows(const Launch& launch, const ShortAttentionArgs& args, unsigned blocks) {
  if (args.q_weight != nullptr) {
    return LaunchShortAttention<ShortShape<kDim, kRows, true, true>>(launch, args, blocks);
  }
  if (args.table != nullptr) {
    return LaunchShortAttention<ShortShape<kDim, kRows, true, false>>(launch, args, blocks);
  }
  return LaunchShortAttention<ShortShape<kDim, kRows, false, false>>(launch, args, blocks);
}

template <int kDim>
cudaError_t LaunchShort(const Launch& launch, const ShortAttentionArgs& args, int rows,
                        unsigned blocks) {
  if (rows == 16) return LaunchShortRows<kDim, 16>(launch, args, blocks);
  if (rows == 32) return LaunchShortRows<kDim, 32>(launch, args, blocks);
  if (rows == 64) return LaunchShortRows<kDim, 64>(launch, args, blocks);
  return cudaErrorInvalidValue;
}

}  // namespace rose::kernels
