#pragma once

#include <immintrin.h>

#include <cstdint>

#include "rose/core/bfloat16.h"

namespace rose::cpu {

/// Eight floats. Kernels are templates over such a type and call nothing that is not a member of
/// it or a template over it: then no function compiled for one instruction set shares its symbol
/// with another's, of which the linker would keep either.
struct Avx2 {
  static constexpr int kWidth = 8;
  static constexpr int kTileRows = 6;  ///< Of a product's tile: 6 × 2 sums in 16 registers.

  __m256 v;

  static Avx2 Set(float x) { return {_mm256_set1_ps(x)}; }
  static Avx2 Load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Avx2 Load(const BFloat16* p) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16))};
  }
  /// The first n < 8; the others are 0.
  static Avx2 LoadPart(const float* p, int64_t n) { return {_mm256_maskload_ps(p, Mask(n))}; }
  static Avx2 LoadPart(const BFloat16* p, int64_t n) {
    BFloat16 padded[kWidth] = {};
    for (int64_t i = 0; i < n; ++i) padded[i].bits = p[i].bits;
    return Load(padded);
  }

  void Store(float* p) const { _mm256_storeu_ps(p, v); }
  void Store(BFloat16* p) const {  // To nearest even, NaN kept quiet.
    const __m256i bits = _mm256_castps_si256(v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded =
        _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    const __m256i wide = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(wide, wide), 0b1000);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
  }
  /// The first n < 8 only.
  void StorePart(float* p, int64_t n) const { _mm256_maskstore_ps(p, Mask(n), v); }
  void StorePart(BFloat16* p, int64_t n) const {
    BFloat16 all[kWidth];
    Store(all);
    for (int64_t i = 0; i < n; ++i) p[i].bits = all[i].bits;
  }

  friend Avx2 operator+(Avx2 a, Avx2 b) { return {_mm256_add_ps(a.v, b.v)}; }
  friend Avx2 operator-(Avx2 a, Avx2 b) { return {_mm256_sub_ps(a.v, b.v)}; }
  friend Avx2 operator*(Avx2 a, Avx2 b) { return {_mm256_mul_ps(a.v, b.v)}; }
  friend Avx2 operator/(Avx2 a, Avx2 b) { return {_mm256_div_ps(a.v, b.v)}; }
  /// a b + c
  static Avx2 MulAdd(Avx2 a, Avx2 b, Avx2 c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  /// Where either is NaN: b.
  static Avx2 Max(Avx2 a, Avx2 b) { return {_mm256_max_ps(a.v, b.v)}; }
  /// Where either is NaN: NaN.
  static Avx2 MaxOrNaN(Avx2 a, Avx2 b) {
    return {_mm256_blendv_ps(_mm256_max_ps(a.v, b.v), a.v, _mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q))};
  }
  static Avx2 Min(Avx2 a, Avx2 b) { return {_mm256_min_ps(a.v, b.v)}; }
  static Avx2 Abs(Avx2 a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
  static Avx2 Round(Avx2 a) {
    return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }
  /// a 2ⁿ for whole n in −126 … 127.
  static Avx2 Scale(Avx2 a, Avx2 n) {
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n.v), _mm256_set1_epi32(127));
    return {_mm256_mul_ps(a.v, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)))};
  }
  /// ⌊log₂ a⌋ for positive normal a.
  static Avx2 Exponent(Avx2 a) {
    const __m256i biased = _mm256_srli_epi32(_mm256_castps_si256(a.v), 23);
    return {_mm256_cvtepi32_ps(_mm256_sub_epi32(biased, _mm256_set1_epi32(127)))};
  }
  float Sum() const {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
  }
  float Largest() const {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
  }
  /// Element c of row r to row c, element r.
  static void Transpose(Avx2 (&rows)[kWidth]) {
    __m256 pairs[kWidth], fours[kWidth];
    for (int i = 0; i < kWidth; i += 2) {
      pairs[i] = _mm256_unpacklo_ps(rows[i].v, rows[i + 1].v);
      pairs[i + 1] = _mm256_unpackhi_ps(rows[i].v, rows[i + 1].v);
    }
    for (int i = 0; i < kWidth; i += 4) {
      for (int half = 0; half < 2; ++half) {
        const __m256 low = pairs[i + half], high = pairs[i + 2 + half];
        fours[i + 2 * half] = _mm256_shuffle_ps(low, high, 0b01'00'01'00);
        fours[i + 2 * half + 1] = _mm256_shuffle_ps(low, high, 0b11'10'11'10);
      }
    }
    for (int i = 0; i < kWidth / 2; ++i) {
      rows[i].v = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
      rows[i + 4].v = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
    }
  }

 private:
  static __m256i Mask(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

}  // namespace rose::cpu
