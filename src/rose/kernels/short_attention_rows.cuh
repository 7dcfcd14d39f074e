#pragma once

#include <cstdint>

#include "rose/kernels/device/reduce.cuh"
#include "rose/kernels/short_attention_args.h"
#include "rose/kernels/short_attention_heads.cuh"
#include "rose/kernels/short_attention_shape.cuh"

// Where a block of ShortAttention finds its queries and the keys that they see.

namespace rose::kernels {

/// Of one sequence and one head of keys. The rows of queries are those of a token's heads that
/// share it, side by side, token behind token.
struct ShortTile {
  int row;     ///< Of the sequence's first token.
  int length;  ///< Of the sequence; 0: there is no such tile.
  int first;   ///< Query row of the sequence.
  int kv_head;
};

/// A number that a kernel far ahead has written: past the L1 cache, and not moved behind the wait.
__device__ __forceinline__ int ReadEarly(const int32_t* from) {
  return *static_cast<const volatile int32_t*>(from);
}

/// The tile of this block, found by each warp for itself. A sequence's last tile, which sees most
/// keys where they are masked, comes first.
template <int kRows>
__device__ ShortTile FindShortTile(const ShortAttentionArgs& a) {
  const auto tile = static_cast<int>(a.kv_heads.Quotient(blockIdx.x));
  const int kv_head = static_cast<int>(blockIdx.x) - tile * a.rows.kv_heads;
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const auto group = static_cast<int>(a.group.divisor());
  int before = 0;
  for (int first = 0; first < a.sequences; first += kWarpSize) {
    const int begin = ReadEarly(a.cu_seqlens + min(first + lane, a.sequences));
    const int end = ReadEarly(a.cu_seqlens + min(first + lane + 1, a.sequences));
    int through = ((end - begin) * group + kRows - 1) / kRows;
#pragma unroll
    for (int offset = 1; offset < kWarpSize; offset *= 2) {
      const int below = __shfl_up_sync(kWholeWarp, through, offset);
      if (lane >= offset) through += below;
    }
    through += before;
    const unsigned found = __ballot_sync(kWholeWarp, through > tile);
    if (found != 0) {
      const int owner = __ffs(static_cast<int>(found)) - 1;
      const int last = __shfl_sync(kWholeWarp, through, owner) - 1;
      const int row = __shfl_sync(kWholeWarp, begin, owner);
      const int length = __shfl_sync(kWholeWarp, end, owner) - row;
      return {.row = row, .length = length, .first = (last - tile) * kRows, .kv_head = kv_head};
    }
    before = __shfl_sync(kWholeWarp, through, kWarpSize - 1);
  }
  return {.row = 0, .length = 0, .first = 0, .kv_head = kv_head};
}

/// What the rows of the block's tile are, and this thread's share of loading them.
template <typename Shape>
class ShortRows {
 public:
  using Share = RowShare<Shape::kDim, Shape::kThreads>;

  __device__ ShortRows(const ShortAttentionArgs& a, const ShortTile& tile)
      : a_(a),
        tile_(tile),
        group_(static_cast<int>(a.group.divisor())),
        stride_(static_cast<int>(a.rows.row_stride)) {
    const int last = min(tile.first + Shape::kRows, tile.length * group_) - 1;
    end_keys_ = a.causal ? Token(last) + 1 : tile.length;
    const int64_t first = int64_t{tile.row + share_.first} * stride_ + share_.at;
    keys_ = static_cast<const Bf16*>(a.rows.k) + first + tile.kv_head * Shape::kDim;
    values_ = static_cast<const Bf16*>(a.rows.v) + first + tile.kv_head * Shape::kDim;
    ForQueries([&](int i, int row) {
      const int packed = tile.first + row;
      queries_[i] = static_cast<const Bf16*>(a.rows.q) + share_.at +
                    int64_t{tile.row + Token(packed)} * stride_ + Head(packed) * Shape::kDim;
    });
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
    ForQueries([&](int i, int row) {
      const bool read = tile_.first + row < tile_.length * group_;
      share_.Copy(queries_[i], read, shared.queries[row]);
    });
  }
  /// A stage of keys and values from key `first` on, those behind end_keys() zeros.
  __device__ void CopyStage(int first, int stage, ShortShared<Shape>& shared) const {
    ForKeys(first, [&](int i, int row) {
      const bool read = first + row < end_keys_;
      const int64_t at = int64_t{first + i * Share::kStep} * stride_;
      share_.Copy(keys_ + at, read, shared.keys[stage][row]);
      share_.Copy(values_ + at, read, shared.values[stage][row]);
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
  int stride_;
  int end_keys_;
  Share share_;
  // Where this thread's part of rows begins: of each query, and of the first key.
  const Bf16* queries_[kQueryCount];
  const Bf16* keys_;
  const Bf16* values_;
  HeadScale q_norm_;
  HeadScale k_norm_;
  Turn query_turns_[kQueryCount];
  Turn key_turns_[kKeyCount];
  int key_positions_[kKeyCount];  ///< Of the stage behind it.
};

}  // namespace rose::kernels
