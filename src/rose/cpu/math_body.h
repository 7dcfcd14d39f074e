#pragma once

#include "rose/core/ops.h"

namespace rose::cpu {

/// eˣ, relative error below 3e-7; x is taken within −87.3 … 88.3, NaN stays.
template <typename V>
V Exp(V x) {
  x = V::Max(V::Set(-87.3f), V::Min(V::Set(88.3f), x));
  const V n = V::Round(x * V::Set(1.44269504f));
  // ln 2 in two parts, the first with so few bits that n × it is exact (Cody and Waite).
  V r = V::MulAdd(n, V::Set(-0.693359375f), x);
  r = V::MulAdd(n, V::Set(2.12194440e-4f), r);
  // e^r − 1 − r over r² on |r| ≤ ½ ln 2: the coefficients of Cephes' expf (Moshier).
  V p = V::MulAdd(V::Set(1.9875691500e-4f), r, V::Set(1.3981999507e-3f));
  p = V::MulAdd(p, r, V::Set(8.3334519073e-3f));
  p = V::MulAdd(p, r, V::Set(4.1665795894e-2f));
  p = V::MulAdd(p, r, V::Set(1.6666665459e-1f));
  p = V::MulAdd(p, r, V::Set(5.0000001201e-1f));
  return V::Scale(V::MulAdd(p, r * r, r + V::Set(1)), n);
}

/// x Φ(x), absolute error below 1e-6. The tail of the normal distribution comes from erfc's
/// formula 7.1.26 in Abramowitz and Stegun, good to 1.5e-7:
/// Φ(−|x|) = ½ (a₁t + … + a₅t⁵) e^(−x²/2) with t = 1 / (1 + p|x|/√2).
template <typename V>
V Gelu(V x) {
  const V size = V::Abs(x);
  const V t = V::Set(1) / V::MulAdd(size, V::Set(0.3275911f * 0.70710678f), V::Set(1));
  V p = V::MulAdd(V::Set(0.5f * 1.061405429f), t, V::Set(0.5f * -1.453152027f));
  p = V::MulAdd(p, t, V::Set(0.5f * 1.421413741f));
  p = V::MulAdd(p, t, V::Set(0.5f * -0.284496736f));
  p = V::MulAdd(p, t, V::Set(0.5f * 0.254829592f));
  const V tail = p * t * Exp(x * x * V::Set(-0.5f));
  return V::Max(V::Set(0), x) - size * tail;
}

/// ½ x (1 + tanh u) = x / (1 + e^(−2u)) with u = √(2/π) (x + 0.044715 x³).
template <typename V>
V GeluTanh(V x) {
  const V cubic = V::MulAdd(x * x, V::Set(-2 * 0.79788456f * 0.044715f), V::Set(-2 * 0.79788456f));
  return x / (V::Set(1) + Exp(x * cubic));
}

/// 1 − 2 / (e^(2x) + 1)
template <typename V>
V Tanh(V x) {
  return V::Set(1) - V::Set(2) / (Exp(x + x) + V::Set(1));
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
    case Activation::kTanh:
      return apply([](V x) { return Tanh(x); });
  }
}

}  // namespace rose::cpu
