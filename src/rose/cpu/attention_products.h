#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/math_body.h"
#include "rose/cpu/row_body.h"
#include "rose/cpu/tile_body.h"

namespace rose::cpu {

/// Keys [begin, end) of a sequence.
struct KeyRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// The two products of attention in float32: keys and values are gathered, rows close together.
template <typename V, typename T>
class FloatProducts {
 public:
  static constexpr int64_t kPanel = 2 * V::kWidth;
  /// Ranges of keys begin at multiples of it, and end at one or with the sequence.
  static constexpr int64_t kKeyStep = 1;

  FloatProducts(const AttentionArgs<T>& args, float* memory)
      : args_(args),
        stride_(AttentionStride(args.head_dim)),
        keys_(memory),
        values_(keys_ + kAttentionKeys * stride_) {}

  static int64_t Floats(int64_t head_dim) { return 2 * kAttentionKeys * AttentionStride(head_dim); }

  void Gather(KeyRange keys) {
    gathered_ = keys.begin;
    Gather(args_.k, keys, keys_);
    Gather(args_.v, keys, values_);
  }

  /// Some consecutive elements of the queries of a vector of lanes, from element d on; `rows[i]`
  /// holds element d + i.
  static void StoreQueries(const V* rows, int64_t d, int64_t count, int64_t lane, float* queries) {
    for (int64_t i = 0; i < count; ++i) rows[i].Store(queries + (d + i) * kPanel + lane);
  }

  /// scores[keys × kPanel] = K Q
  void Score(KeyRange keys, const float* queries, const float* zeros, float* scores) const {
    const float* from = keys_ + (keys.begin - gathered_) * stride_;
    for (int64_t i = 0, count = keys.end - keys.begin; i < count;) {
      const int64_t rows = NextTileRows<V>(count - i);
      TileOfRows<V>(rows, {.a = from + i * stride_,
                           .a_stride = stride_,
                           .b = queries,
                           .k = args_.head_dim,
                           .c = scores + i * kPanel,
                           .c_stride = kPanel,
                           .start = zeros,
                           .ahead = queries});
      i += rows;
    }
  }

  /// sums[head_dim × kPanel] (+)= Vᵀ weights
  void Weigh(KeyRange keys, const float* weights, const float* zeros, bool first,
             float* sums) const {
    const float* from = values_ + (keys.begin - gathered_) * stride_;
    for (int64_t d = 0; d < args_.head_dim;) {
      const int64_t rows = NextTileRows<V>(args_.head_dim - d);
      TileOfRows<V>(rows, {.a = from + d,
                           .a_stride = 1,
                           .a_step = stride_,
                           .b = weights,
                           .k = keys.end - keys.begin,
                           .c = sums + d * kPanel,
                           .c_stride = kPanel,
                           .start = first ? zeros : nullptr,
                           .ahead = weights});
      d += rows;
    }
  }

  /// A vector of columns of scores, kPanel apart, to weights of softmax in place:
  /// e^((score − largest) · scale), 0 for −∞. Returns their sums.
  static V ToWeights(V scale, V largest, int64_t count, float* scores) {
    const V shift = V::Set(0) - largest * scale;
    const V nothing = Exp(V::Set(-__builtin_inff()));  // What Exp gives for the smallest.
    V sum = V::Set(0);
    for (int64_t i = 0; i < count; ++i) {
      const V weight = Exp(V::MulAdd(V::Load(scores + i * kPanel), scale, shift)) - nothing;
      weight.Store(scores + i * kPanel);
      sum = sum + weight;
    }
    return sum;
  }

 private:
  /// Rows of keys or values to float32, close together.
  void Gather(const T* from, KeyRange tokens, float* to) const {
    for (int64_t token = tokens.begin; token < tokens.end; ++token) {
      WidenElements<V>(from + token * args_.stride, args_.head_dim, to);
      to += stride_;
    }
  }

  const AttentionArgs<T>& args_;
  int64_t stride_;
  float* keys_;
  float* values_;
  int64_t gathered_ = 0;  ///< The key that lies first in keys_.
};

}  // namespace rose::cpu
