#pragma once

#include <cstdint>

#include "rose/cpu/amx_registers.h"
#include "rose/cpu/pair_attention.h"

namespace rose::cpu {

/// The two products of attention with AMX. Keys are read where they are; values are gathered with
/// the keys' direction along their rows, filled up to 32 keys. Heads are multiples of 32 columns,
/// sequences have 16 tokens or more.
class AmxProducts {
  using V = Avx512Bf16;
  static constexpr int64_t kRows = AmxRegisters::kRows;

 public:
  static constexpr int64_t kPanel = PairProducts::kPanel;
  /// So that 32 keys that one instruction adds up are the same 32 whatever the columns.
  static constexpr int64_t kKeyStep = AmxRegisters::kDepth;

  AmxProducts(const AttentionArgs<BFloat16>& args, float* memory)
      : args_(args), values_(reinterpret_cast<BFloat16*>(memory)) {}

  static int64_t Floats(int64_t head_dim) { return PairProducts::Floats(head_dim); }

  static void StoreQueries(const V* rows, int64_t d, int64_t count, int64_t lane, float* queries) {
    PairProducts::StoreQueries(rows, d, count, lane, queries);
  }

  void Gather(KeyRange keys) {
    gathered_ = keys.begin;
    BFloat16* to = values_;
    for (int64_t key = keys.begin; key < keys.end; key += kKeyStep) {
      for (int64_t d = 0; d < args_.head_dim; d += kRows, to += kRows * kKeyStep) {
        V pairs[kRows];
#pragma GCC unroll 16
        for (int64_t i = 0; i < kRows; ++i) pairs[i] = PairOfValues(key + 2 * i, keys.end, d);
        V::Transpose(pairs);
        for (int64_t i = 0; i < kRows; ++i) {
          _mm512_storeu_ps(reinterpret_cast<float*>(to + i * kKeyStep), pairs[i].v);
        }
      }
    }
  }

  void Score(KeyRange keys, const float* queries, const float*, float* scores) const {
    const int64_t count = keys.end - keys.begin;
    if (count < kRows) {
      // At the end of a sequence alone: there are keys enough before these.
      alignas(64) float tile[kRows * kPanel];
      ScoreRows(keys.end - kRows, 0, queries, tile, tile);
      const float* from = tile + (kRows - count) * kPanel;
      for (int64_t i = 0; i < count * kPanel; i += V::kWidth) V::Load(from + i).Store(scores + i);
      return;
    }
    for (int64_t at = 0; at < count; at += 2 * kRows) {
      // The last tiles end with the keys and have some that the ones before had too: what lies
      // behind is another sequence, or not ours.
      const int64_t row = at + kRows <= count ? at : count - kRows;
      const int64_t below = row + 2 * kRows <= count ? row + kRows : count - kRows;
      ScoreRows(keys.begin + row, below - row, queries, scores + row * kPanel,
                scores + below * kPanel);
    }
  }

  void Weigh(KeyRange keys, const float* weights, const float*, bool first, float* sums) const {
    const BFloat16* from = values_ + (keys.begin - gathered_) * args_.head_dim;
    for (int64_t d = 0; d < args_.head_dim; d += 2 * kRows) {
      float* const to = sums + d * kPanel;
      float* const below = to + kRows * kPanel;
      if (first) {
        ZeroAmxSums();
      } else {
        LoadAmxSums(to, below);
      }
      AddAmxSquare({.a = from + d * kKeyStep,
                    .a_stride = kKeyStep,
                    .a_step = args_.head_dim * kKeyStep,
                    .a_below = kRows * kKeyStep,
                    .b = reinterpret_cast<const BFloat16*>(weights),
                    .k = keys.end - keys.begin},
                   [] {});
      StoreAmxSums(to, below);
    }
  }

  /// As PairProducts', and zeros up to 32 keys.
  static V ToWeights(V scale, V largest, int64_t count, float* scores) {
    const V sum = PairProducts::ToWeights(scale, largest, count, scores);
    for (int64_t pair = (count + 1) / 2; pair % (kKeyStep / 2) != 0; ++pair) {
      V::Set(0).Store(scores + pair * kPanel);
    }
    return sum;
  }

 private:
  /// 16 keys from `key` on, and 16 from `below` keys behind that on.
  void ScoreRows(int64_t key, int64_t below, const float* queries, float* scores,
                 float* scores_below) const {
    ZeroAmxSums();
    AddAmxSquare({.a = args_.k + key * args_.stride,
                  .a_stride = args_.stride,
                  .a_below = below * args_.stride,
                  .b = reinterpret_cast<const BFloat16*>(queries),
                  .k = args_.head_dim},
                 [] {});
    StoreAmxSums(scores, scores_below);
  }

  /// Of 16 columns of a head from `d` on the values of two keys, side by side; 0 for keys from
  /// `end` on.
  V PairOfValues(int64_t key, int64_t end, int64_t d) const {
    const auto values = [&](int64_t of) {
      if (of >= end) return _mm512_setzero_si512();
      const BFloat16* from = args_.v + of * args_.stride + d;
      return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    };
    const __m512i both = _mm512_or_si512(values(key), _mm512_slli_epi32(values(key + 1), 16));
    return {_mm512_castsi512_ps(both)};
  }

  const AttentionArgs<BFloat16>& args_;
  AmxRegisters registers_;
  BFloat16* values_;  ///< [keys ÷ 32][head_dim][32]
  int64_t gathered_ = 0;
};

/// What tiles do not fit is left to avx512_bf16's kernel.
inline void AttendTiles(const AttentionArgs<BFloat16>& args) {
  if (args.head_dim % AmxRegisters::kDepth != 0 || args.tokens < AmxRegisters::kRows) {
    return Avx512Bf16Kernels().bf16.attention(args);
  }
  GroupAttention<Avx512Bf16, BFloat16, AmxProducts>(args).Run();
}

}  // namespace rose::cpu
