#pragma once

#include <cstdint>

#include "rose/cpu/attention_body.h"
#include "rose/cpu/pair_tile.h"

namespace rose::cpu {

/// The two products of attention on pairs of bfloat16. Keys are read where they are; values are
/// gathered as pairs of keys, and softmax's weights rounded to such.
class PairProducts {
  using V = Avx512Bf16;

 public:
  static constexpr int64_t kPanel = 2 * V::kWidth;
  static constexpr int64_t kKeyStep = 2;

  PairProducts(const AttentionArgs<BFloat16>& args, float* memory)
      : args_(args),
        row_((args.head_dim + V::kWidth - 1) / V::kWidth * V::kWidth * 2),
        values_(reinterpret_cast<BFloat16*>(memory)) {}

  static int64_t Floats(int64_t head_dim) { return FloatProducts<V, BFloat16>::Floats(head_dim); }

  void Gather(KeyRange keys) {
    gathered_ = keys.begin;
    const BFloat16 zeros[V::kWidth] = {};
    for (int64_t key = keys.begin; key < keys.end; key += 2) {
      const BFloat16* even = args_.v + key * args_.stride;
      const bool pair = key + 1 < keys.end;
      BFloat16* to = values_ + (key - keys.begin) / 2 * row_;
      for (int64_t d = 0; d < args_.head_dim; d += V::kWidth) {
        const int64_t left = args_.head_dim - d;
        const BFloat16* odd = pair ? even + args_.stride + d : zeros;
        StorePair(LoadUpTo<V>(even + d, left), LoadUpTo<V>(odd, left), to + 2 * d);
      }
    }
  }

  static void StoreQueries(const V* rows, int64_t d, int64_t count, int64_t lane, float* queries) {
    auto* const pairs = reinterpret_cast<BFloat16*>(queries);
    for (int64_t i = 0; i < count; i += 2) {
      StorePair(rows[i], i + 1 < count ? rows[i + 1] : V::Set(0),
                pairs + (d + i) * kPanel + 2 * lane);
    }
  }

  void Score(KeyRange keys, const float* queries, const float*, float* scores) const {
    for (int64_t key = keys.begin; key < keys.end;) {
      const int64_t rows = NextTileRows<V>(keys.end - key);
      float* to = scores + (key - keys.begin) * kPanel;
      PairTileOfRows(rows,
                     {.a = args_.k + key * args_.stride,
                      .a_stride = args_.stride,
                      .b = reinterpret_cast<const BFloat16*>(queries),
                      .k = args_.head_dim},
                     [&](int r, __m512 low, __m512 high) {
                       _mm512_storeu_ps(to + r * kPanel, low);
                       _mm512_storeu_ps(to + r * kPanel + V::kWidth, high);
                     });
      key += rows;
    }
  }

  void Weigh(KeyRange keys, const float* weights, const float*, bool first, float* sums) const {
    const int64_t count = keys.end - keys.begin;
    for (int64_t d = 0; d < args_.head_dim;) {
      const int64_t rows = NextTileRows<V>(args_.head_dim - d);
      float* to = sums + d * kPanel;
      const PairTileArgs tile = {.a = values_ + (keys.begin - gathered_) / 2 * row_ + 2 * d,
                                 .a_stride = 2,
                                 .a_step = row_,
                                 .b = reinterpret_cast<const BFloat16*>(weights),
                                 .k = (count + 1) / 2 * 2};
      const auto store = [&](int r, V low, V high) {
        low.Store(to + r * kPanel);
        high.Store(to + r * kPanel + V::kWidth);
      };
      if (first) {
        PairTileOfRows(rows, tile,
                       [&](int r, __m512 low, __m512 high) { store(r, {low}, {high}); });
      } else {
        PairTileOfRows(rows, tile, [&](int r, __m512 low, __m512 high) {
          store(r, V{low} + V::Load(to + r * kPanel),
                V{high} + V::Load(to + r * kPanel + V::kWidth));
        });
      }
      d += rows;
    }
  }

  /// As FloatProducts', but the weights are rounded and those of two keys become one row of pairs:
  /// a vector of columns writes only where it has read.
  static V ToWeights(V scale, V largest, int64_t count, float* scores) {
    const V to_base_2 = scale * V::Set(1.44269504f), shift = V::Set(0) - largest * to_base_2;
    const auto weight = [&](int64_t key) {
      return Exp2Rough(V::MulAdd(V::Load(scores + key * kPanel), to_base_2, shift));
    };
    V sum = V::Set(0);
    for (int64_t i = 0; i < count; i += 2) {
      const V even = weight(i), odd = i + 1 < count ? weight(i + 1) : V::Set(0);
      StorePair(even, odd, reinterpret_cast<BFloat16*>(scores + i / 2 * kPanel));
      sum = sum + even + odd;
    }
    return sum;
  }

 private:
  /// Lane by lane, even's in front of odd's.
  static void StorePair(V even, V odd, BFloat16* to) {
    alignas(64) static constexpr uint16_t kInterleaved[] = {
        0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const auto both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(odd.v, even.v));
    _mm512_storeu_si512(to, _mm512_permutexvar_epi16(_mm512_load_si512(kInterleaved), both));
  }

  const AttentionArgs<BFloat16>& args_;
  int64_t row_;       ///< Elements of a pair of keys in values_.
  BFloat16* values_;  ///< [pairs of keys][head_dim][2]
  int64_t gathered_ = 0;
};

/// Heads of an odd number of columns, which no model has, are left to float32.
inline void AttendPairs(const AttentionArgs<BFloat16>& args) {
  if (args.head_dim % 2 != 0) return Attend<Avx512Bf16, BFloat16>(args);
  GroupAttention<Avx512Bf16, BFloat16, PairProducts>(args).Run();
}

}  // namespace rose::cpu
