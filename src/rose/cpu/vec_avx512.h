#pragma once

#include <immintrin.h>

#include <cstdint>

#include "rose/core/bfloat16.h"

namespace rose::cpu {

/// Sixteen floats; see Avx2 for the rule that keeps instruction sets apart. `Rounding` narrows them
/// to bfloat16, to nearest even and a NaN to a quiet one.
template <typename Rounding>
struct Avx512Of {
  using Avx512 = Avx512Of;
  static constexpr int kWidth = 16;
  static constexpr int kTileRows = 12;  ///< Of a product's tile: 12 × 2 sums in 32 registers.

  __m512 v;

  static Avx512 Set(float x) { return {_mm512_set1_ps(x)}; }
  static Avx512 Load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static Avx512 Load(const BFloat16* p) {
    return Widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  /// The first n < 16; the others are 0.
  static Avx512 LoadPart(const float* p, int64_t n) { return {_mm512_maskz_loadu_ps(Mask(n), p)}; }
  static Avx512 LoadPart(const BFloat16* p, int64_t n) {
    return Widen(_mm256_maskz_loadu_epi16(Mask(n), p));
  }

  void Store(float* p) const { _mm512_storeu_ps(p, v); }
  void Store(BFloat16* p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), Rounding::Narrow(v));
  }
  /// The first n < 16 only.
  void StorePart(float* p, int64_t n) const { _mm512_mask_storeu_ps(p, Mask(n), v); }
  void StorePart(BFloat16* p, int64_t n) const {
    _mm256_mask_storeu_epi16(p, Mask(n), Rounding::Narrow(v));
  }

  friend Avx512 operator+(Avx512 a, Avx512 b) { return {_mm512_add_ps(a.v, b.v)}; }
  friend Avx512 operator-(Avx512 a, Avx512 b) { return {_mm512_sub_ps(a.v, b.v)}; }
  friend Avx512 operator*(Avx512 a, Avx512 b) { return {_mm512_mul_ps(a.v, b.v)}; }
  friend Avx512 operator/(Avx512 a, Avx512 b) { return {_mm512_div_ps(a.v, b.v)}; }
  /// a b + c
  static Avx512 MulAdd(Avx512 a, Avx512 b, Avx512 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  /// Where either is NaN: b.
  static Avx512 Max(Avx512 a, Avx512 b) { return {_mm512_max_ps(a.v, b.v)}; }
  /// Where either is NaN: NaN.
  static Avx512 MaxOrNaN(Avx512 a, Avx512 b) {
    return {_mm512_mask_mov_ps(_mm512_max_ps(a.v, b.v), _mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q),
                               a.v)};
  }
  static Avx512 Min(Avx512 a, Avx512 b) { return {_mm512_min_ps(a.v, b.v)}; }
  static Avx512 Abs(Avx512 a) { return {_mm512_abs_ps(a.v)}; }
  static Avx512 Round(Avx512 a) {
    return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }
  /// a 2ⁿ for whole n.
  static Avx512 Scale(Avx512 a, Avx512 n) { return {_mm512_scalef_ps(a.v, n.v)}; }
  /// ⌊log₂ a⌋ for positive normal a.
  static Avx512 Exponent(Avx512 a) { return {_mm512_getexp_ps(a.v)}; }
  float Sum() const { return _mm512_reduce_add_ps(v); }
  float Largest() const { return _mm512_reduce_max_ps(v); }
  /// Element c of row r to row c, element r.
  static void Transpose(Avx512 (&rows)[kWidth]) {
    __m512 pairs[kWidth], fours[kWidth], eights[kWidth];
    for (int i = 0; i < kWidth; i += 2) {
      pairs[i] = _mm512_unpacklo_ps(rows[i].v, rows[i + 1].v);
      pairs[i + 1] = _mm512_unpackhi_ps(rows[i].v, rows[i + 1].v);
    }
    for (int i = 0; i < kWidth; i += 4) {
      for (int half = 0; half < 2; ++half) {
        const __m512 low = pairs[i + half], high = pairs[i + 2 + half];
        fours[i + 2 * half] = _mm512_shuffle_ps(low, high, 0b01'00'01'00);
        fours[i + 2 * half + 1] = _mm512_shuffle_ps(low, high, 0b11'10'11'10);
      }
    }
    // fours[4g + c] holds column c + 4l of rows 4g … 4g + 3 in its 128-bit lane l.
    for (int c = 0; c < 4; ++c) {
      for (int pair = 0; pair < 2; ++pair) {
        const __m512 low = fours[8 * pair + c], high = fours[8 * pair + 4 + c];
        eights[8 * pair + c] = _mm512_shuffle_f32x4(low, high, 0b10'00'10'00);
        eights[8 * pair + 4 + c] = _mm512_shuffle_f32x4(low, high, 0b11'01'11'01);
      }
      for (int odd = 0; odd < 2; ++odd) {
        const __m512 low = eights[4 * odd + c], high = eights[8 + 4 * odd + c];
        rows[4 * odd + c].v = _mm512_shuffle_f32x4(low, high, 0b10'00'10'00);
        rows[8 + 4 * odd + c].v = _mm512_shuffle_f32x4(low, high, 0b11'01'11'01);
      }
    }
  }

 private:
  static __mmask16 Mask(int64_t n) { return static_cast<__mmask16>((1u << n) - 1); }
  static Avx512 Widen(__m256i half) {
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16))};
  }
};

/// For processors without an instruction for it.
struct RoundByHand {
  static __m256i Narrow(__m512 v) {
    const __m512i bits = _mm512_castps_si512(v);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded =
        _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const __m512i kept = _mm512_mask_or_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), bits,
                                              _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(kept, 16));
  }
};

using Avx512 = Avx512Of<RoundByHand>;

}  // namespace rose::cpu
