#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/math_body.h"
#include "rose/cpu/tile_body.h"

namespace rose::cpu {

/// One head of one sequence as two products of tiles, the scores of a tile's queries whole in
/// between: a sequence of some thousand tokens needs kilobytes for them, so softmax runs in two
/// plain passes and is the same whatever the tile.
template <typename V, typename T>
class HeadAttention {
 public:
  explicit HeadAttention(const AttentionArgs<T>& args)
      : args_(args),
        key_panels_((args.tokens + kCols - 1) / kCols),
        dim_panels_((args.head_dim + kCols - 1) / kCols) {
    const int64_t padded_dim = dim_panels_ * kCols;
    keys_ = args.workspace;
    values_ = keys_ + key_panels_ * kCols * args.head_dim;
    queries_ = values_ + args.tokens * padded_dim;
    scores_ = queries_ + V::kTileRows * args.head_dim;
    sums_ = scores_ + V::kTileRows * key_panels_ * kCols;
    zeros_ = sums_ + V::kTileRows * padded_dim;
    for (int64_t i = 0; i < kCols; ++i) zeros_[i] = 0;
  }

  void Run() {
    PackKeys();
    PackValues();
    for (int64_t query = args_.query_begin; query < args_.query_end;) {
      const int64_t rows = NextTileRows<V>(args_.query_end - query);
      Score(query, rows);
      for (int64_t r = 0; r < rows; ++r)
        inverse_[r] = Softmax(query + r, scores_ + r * ScoreStride());
      Weigh(query, rows);
      query += rows;
    }
  }

 private:
  static constexpr int64_t kCols = 2 * V::kWidth;

  int64_t ScoreStride() const { return key_panels_ * kCols; }

  static float Widen(float x) { return x; }
  static float Widen(BFloat16 x) {
    const uint32_t bits = static_cast<uint32_t>(x.bits) << 16;
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }

  /// Panel p holds the keys kCols·p … as columns, zeros past the last.
  void PackKeys() {
    for (int64_t key = 0; key < key_panels_ * kCols; ++key) {
      float* to = keys_ + key / kCols * kCols * args_.head_dim + key % kCols;
      const T* from = args_.k + key * args_.stride;
      for (int64_t d = 0; d < args_.head_dim; ++d) {
        to[d * kCols] = key < args_.tokens ? Widen(from[d]) : 0;
      }
    }
  }

  /// Panel p holds the columns kCols·p … of all values, zeros past the last.
  void PackValues() {
    for (int64_t p = 0; p < dim_panels_; ++p) {
      const int64_t left = args_.head_dim - p * kCols;
      for (int64_t token = 0; token < args_.tokens; ++token) {
        const T* from = args_.v + token * args_.stride + p * kCols;
        float* to = values_ + (p * args_.tokens + token) * kCols;
        LoadUpTo(from, left).Store(to);
        LoadUpTo(from + V::kWidth, left - V::kWidth).Store(to + V::kWidth);
      }
    }
  }

  /// The first `n` elements, where n may be anything; the others are 0.
  static V LoadUpTo(const T* from, int64_t n) {
    if (n >= V::kWidth) return V::Load(from);
    return n > 0 ? V::LoadPart(from, n) : V::Set(0);
  }

  void Score(int64_t query, int64_t rows) {
    for (int64_t r = 0; r < rows; ++r) {
      const T* from = args_.q + (query + r) * args_.stride;
      float* to = queries_ + r * args_.head_dim;
      for (int64_t d = 0; d < args_.head_dim; ++d) to[d] = Widen(from[d]);
    }
    for (int64_t p = 0; p < key_panels_; ++p) {
      TileOfRows<V>(rows, {.a = queries_,
                           .a_stride = args_.head_dim,
                           .b = keys_ + p * kCols * args_.head_dim,
                           .k = args_.head_dim,
                           .c = scores_ + p * kCols,
                           .c_stride = ScoreStride(),
                           .start = zeros_,
                           .ahead = keys_ + p * kCols * args_.head_dim});
    }
  }

  /// Scores of query `i` to weights up to a common factor, which is returned; 0 for unseen keys.
  float Softmax(int64_t i, float* row) {
    const int64_t begin = i > args_.before ? i - args_.before : 0;
    const int64_t end = i < args_.tokens - args_.after ? i + args_.after + 1 : args_.tokens;
    float bound = -__builtin_inff();
    for (int64_t j = 0; j < args_.tokens; ++j) {
      row[j] = row[j] * args_.scale + (args_.bias != nullptr ? args_.bias[j - i] : 0);
      if (begin <= j && j < end && !(row[j] <= bound)) bound = row[j];
    }
    float sum = 0;
    for (int64_t j = 0; j < args_.tokens; ++j) {
      float weight[V::kWidth];
      Exp(V::Set(row[j] - bound)).Store(weight);
      row[j] = begin <= j && j < end ? weight[0] : 0;
      sum += row[j];
    }
    return 1 / sum;
  }

  void Weigh(int64_t query, int64_t rows) {
    const int64_t stride = dim_panels_ * kCols, whole = args_.head_dim / V::kWidth * V::kWidth;
    for (int64_t p = 0; p < dim_panels_; ++p) {
      TileOfRows<V>(rows, {.a = scores_,
                           .a_stride = ScoreStride(),
                           .b = values_ + p * args_.tokens * kCols,
                           .k = args_.tokens,
                           .c = sums_ + p * kCols,
                           .c_stride = stride,
                           .start = zeros_,
                           .ahead = values_ + p * args_.tokens * kCols});
    }
    for (int64_t r = 0; r < rows; ++r) {
      const V inverse = V::Set(inverse_[r]);
      const float* from = sums_ + r * stride;
      T* to = args_.out + (query + r) * args_.out_stride;
      for (int64_t d = 0; d < whole; d += V::kWidth) (V::Load(from + d) * inverse).Store(to + d);
      if (whole < args_.head_dim) {
        (V::Load(from + whole) * inverse).StorePart(to + whole, args_.head_dim - whole);
      }
    }
  }

  const AttentionArgs<T>& args_;
  int64_t key_panels_;
  int64_t dim_panels_;
  float* keys_;
  float* values_;
  float* queries_;
  float* scores_;
  float* sums_;
  float* zeros_;
  float inverse_[V::kTileRows];
};

template <typename V, typename T>
void Attend(const AttentionArgs<T>& args) {
  HeadAttention<V, T>(args).Run();
}

}  // namespace rose::cpu
