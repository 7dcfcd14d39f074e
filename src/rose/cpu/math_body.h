#pragma once

#include "rose/core/ops.h"

namespace rose::cpu {

/// first xⁿ + … + last, from the inside out.
template <typename V, typename... Rest>
V Horner(V x, float first, float second, Rest... rest) {
  V sum = V::MulAdd(V::Set(first), x, V::Set(second));
  ((sum = V::MulAdd(sum, x, V::Set(rest))), ...);
  return sum;
}

/// eˣ, relative error below 3e-7; x is taken within −87.3 … 88.3, NaN stays.
template <typename V>
V Exp(V x) {
  x = V::Max(V::Set(-87.3f), V::Min(V::Set(88.3f), x));
  const V n = V::Round(x * V::Set(1.44269504f));
  // ln 2 in two parts, the first with so few bits that n × it is exact (Cody and Waite).
  V r = V::MulAdd(n, V::Set(-0.693359375f), x);
  r = V::MulAdd(n, V::Set(2.12194440e-4f), r);
  // e^r − 1 − r over r² on |r| ≤ ½ ln 2: the coefficients of Cephes' expf (Moshier).
  const V p = Horner(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                     1.6666665459e-1f, 5.0000001201e-1f);
  return V::Scale(V::MulAdd(p, r * r, r + V::Set(1)), n);
}

/// Of Exp2Rough, relative: a twentieth of what rounding to bfloat16 costs.
inline constexpr float kExp2RoughError = 1e-4f;

/// 2^x for x ≤ 0; 0 for −∞, NaN stays.
template <typename V>
V Exp2Rough(V x) {
  x = V::Max(V::Set(-200), x);  // Small enough that Scale gives 0.
  const V n = V::Round(x);
  // On |x − n| ≤ ½, by least squares.
  const V p = Horner(x - n, 5.517145254e-2f, 2.426106146e-1f, 6.932609740e-1f, 9.999281044e-1f);
  return V::Scale(p, n);
}

/// x Φ(x), absolute error below 1e-6. The tail of the normal distribution comes from erfc's
/// formula 7.1.26 in Abramowitz and Stegun, good to 1.5e-7:
/// Φ(−|x|) = ½ (a₁t + … + a₅t⁵) e^(−x²/2) with t = 1 / (1 + p|x|/√2).
template <typename V>
V Gelu(V x) {
  const V size = V::Abs(x);
  const V t = V::Set(1) / V::MulAdd(size, V::Set(0.3275911f * 0.70710678f), V::Set(1));
  const V p = Horner(t, 0.5f * 1.061405429f, 0.5f * -1.453152027f, 0.5f * 1.421413741f,
                     0.5f * -0.284496736f, 0.5f * 0.254829592f);
  const V tail = p * t * Exp(x * x * V::Set(-0.5f));
  return V::Max(V::Set(0), x) - size * tail;
}

/// Gelu, absolute error below 2e-5, a hundredth of what rounding 1 to bfloat16 costs: Φ(t) − ½ on
/// |t| ≤ 4.6 as t P(v) with v = t²·2/4.6² − 1, P fitted by least squares, weights shifted to where
/// t Φ(t) is off most (Lawson 1961), so that Φ(±4.6) is 1 and 0. It neither divides nor raises.
template <typename V>
V GeluRough(V x) {
  const V above = V::Max(V::Set(-4.6f), x);
  const V t = V::Min(V::Set(4.6f), above);
  const V v = V::MulAdd(t * t, V::Set(9.451795841e-02f), V::Set(-1));
  const V p = Horner(v, -1.841198537e-03f, 5.619337317e-03f, -7.849570364e-03f, 1.094911154e-02f,
                     -1.901924610e-02f, 2.952800505e-02f, -4.061533511e-02f, 5.413687602e-02f,
                     -7.575576752e-02f, 1.535434425e-01f);
  return above * V::MulAdd(p, t, V::Set(0.5f));
}

/// ½ x (1 + tanh u) = x / (1 + e^(−2u)) with u = √(2/π) (x + 0.044715 x³). Below −10 it is 0 up to
/// 1e-36, which the largest that Exp gives taken for e^(−2u) would not give.
template <typename V>
V GeluTanh(V x) {
  const V near = V::Max(V::Set(-10), x);
  const V cubic =
      V::MulAdd(near * near, V::Set(-2 * 0.79788456f * 0.044715f), V::Set(-2 * 0.79788456f));
  return near / (V::Set(1) + Exp(near * cubic));
}

/// 1 − 2 / (e^(2x) + 1)
template <typename V>
V Tanh(V x) {
  return V::Set(1) - V::Set(2) / (Exp(x + x) + V::Set(1));
}

/// 1 / (1 + e^−x), absolute error below 2e-7.
template <typename V>
V Sigmoid(V x) {
  return V::Set(1) / (V::Set(1) + Exp(V::Set(0) - x));
}

/// x / (1 + e^−x), absolute error below 1e-6 of the larger of 1 and |x|. Below −88 it is 0 up to
/// 1e-36, which e^88 taken for e^−x would not give.
template <typename V>
V Silu(V x) {
  const V near = V::Max(V::Set(-88), x);
  return near / (V::Set(1) + Exp(V::Set(0) - near));
}

/// ln x for finite x ≥ 1, relative error below 3e-7 away from 1 and absolute error below 1e-7.
template <typename V>
V Log(V x) {
  // x = m 2ⁿ with √½ ≤ m < √2, so that m − 1 is small on both sides of 1. Of the largest x neither
  // √2 x nor 2⁻ⁿ is a number that V can hold or scale by.
  const V n = V::Exponent(x * V::Set(0.70710678f)) + V::Set(1);
  const V r = V::Scale(x * V::Set(0.25f), V::Set(2) - n) - V::Set(1);
  // ln(1 + r) − r + r²/2 over r³: the coefficients of Cephes' logf (Moshier).
  const V p = Horner(r, 7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f,
                     1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f,
                     3.3333331174e-1f);
  const V square = r * r;
  V low = V::MulAdd(n, V::Set(-2.12194440e-4f), p * square * r);
  low = V::MulAdd(square, V::Set(-0.5f), low);
  return V::MulAdd(n, V::Set(0.693359375f), r + low);
}

/// ln(1 + max(x, 0)), relative error below 4e-7 for finite x.
template <typename V>
V Log1pRelu(V x) {
  const V y = V::Max(V::Set(0), x);
  const V sum = y + V::Set(1);
  return Log(sum) + (y - (sum - V::Set(1))) / sum;  // With what 1 + y lost.
}

/// Calls apply(f) with the activation as a function of V to V.
template <typename V, typename Apply>
void WithActivation(Activation activation, const Apply& apply) {
  switch (activation) {
    case Activation::kGelu:
      return apply([](V x) { return Gelu(x); });
    case Activation::kGeluTanh:
      return apply([](V x) { return GeluTanh(x); });
    case Activation::kRelu:
      return apply([](V x) { return V::Max(V::Set(0), x); });
    case Activation::kSilu:
      return apply([](V x) { return Silu(x); });
    case Activation::kTanh:
      return apply([](V x) { return Tanh(x); });
    case Activation::kSigmoid:
      return apply([](V x) { return Sigmoid(x); });
    case Activation::kLog1pRelu:
      return apply([](V x) { return Log1pRelu(x); });
  }
}

/// WithActivation for results that are rounded to bfloat16.
template <typename V, typename Apply>
void WithRoughActivation(Activation activation, const Apply& apply) {
  if (activation == Activation::kGelu) return apply([](V x) { return GeluRough(x); });
  WithActivation<V>(activation, apply);
}

}  // namespace rose::cpu
