#pragma once

#include <cstdint>

#include "rose/cpu/tile_body.h"
#include "rose/cpu/vec_avx512_bf16.h"

namespace rose::cpu {

/// A product's innermost piece with avx512_bf16: a[rows × k] b[k × 32], the sums in registers for
/// all of k. Each sum runs over pairs of terms in order, so that a row's result does not depend on
/// the rows beside it.
struct PairTileArgs {
  const BFloat16* a = nullptr;
  int64_t a_stride = 0;         ///< Elements from a row to the next.
  int64_t a_step = 2;           ///< From a pair of terms to the next.
  const BFloat16* b = nullptr;  ///< Pairs of terms of 32 columns, one such row after the other.
  int64_t k = 0;  ///< The second half of an odd one's last pair is 0 in b, not read in a.
};

/// 12 × 2 sums in the 32 registers.
inline constexpr int kPairTileRows = Avx512Bf16::kTileRows;

inline __m512bh LoadPairs(const BFloat16* b) {
  return reinterpret_cast<__m512bh>(_mm512_loadu_si512(b));
}

/// Calls store(row, sums of 16 columns, of the next 16). Not inlined: its loop wants all registers
/// for itself.
template <int kRows, typename Store>
[[gnu::noinline]] void PairTile(const PairTileArgs& args, const Store& store) {
  __m512 sum[kRows][2];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = _mm512_setzero_ps();
  const auto add = [&](int r, int pair, __m512bh b0, __m512bh b1) {
    const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
    sum[r][0] = _mm512_dpbf16_ps(sum[r][0], x, b0);
    sum[r][1] = _mm512_dpbf16_ps(sum[r][1], x, b1);
  };
  const int64_t stride = args.a_stride, step = args.a_step;
  const BFloat16* a = args.a;
  const BFloat16* b = args.b;
  for (int64_t pairs = args.k / 2; pairs > 0; --pairs, a += step, b += 64) {
    const __m512bh b0 = LoadPairs(b), b1 = LoadPairs(b + 32);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      int pair;
      __builtin_memcpy(&pair, a + r * stride, sizeof pair);
      add(r, pair, b0, b1);
    }
  }
  if (args.k % 2 != 0) {
    const __m512bh b0 = LoadPairs(b), b1 = LoadPairs(b + 32);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) add(r, a[r * stride].bits, b0, b1);
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) store(r, sum[r][0], sum[r][1]);
}

/// PairTile for 1 ≤ rows ≤ kPairTileRows.
template <int kRows = kPairTileRows, typename Store>
void PairTileOfRows(int64_t rows, const PairTileArgs& args, const Store& store) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return PairTileOfRows<kRows - 1>(rows, args, store);
  }
  PairTile<kRows>(args, store);
}

}  // namespace rose::cpu
