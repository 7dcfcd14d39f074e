#pragma once

#include <cuda_runtime.h>

#include "rose/core/op_params.h"

namespace rose::kernels {

/// 2ˣ to two units in the last place; below the smallest normal number 0.
__device__ __forceinline__ float Exp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

/// 1 / x to one unit in the last place; 0 where that is below the smallest normal number.
__device__ __forceinline__ float Reciprocal(float x) {
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  return inverse;
}

/// 1 / (1 + e^−x), within 2e-7.
__device__ __forceinline__ float Sigmoid(float x) {
  constexpr float kLog2OfE = 1.44269504f;
  return Reciprocal(1 + Exp2(-kLog2OfE * x));
}

/// x Φ(x), within 4e-7 everywhere. Without a branch: Φ(−|x|) = 2^p(|x|) with p the polynomial that
/// is closest to log2(erfc(|x| / √2) / 2) on [0, 5.6], weighted by how much Φ(x) feels of it, which
/// is 1e-7 of it; its value relative to the true one is within 1e-4 on the negative side too.
/// Behind 5.6 p falls on to −∞.
__device__ __forceinline__ float Gelu(float x) {
  const float t = fabsf(x);
  float p = -8.69540687e-7f;
  p = fmaf(p, t, 1.50088738e-5f);
  p = fmaf(p, t, -6.81763721e-5f);
  p = fmaf(p, t, -4.21484108e-4f);
  p = fmaf(p, t, 7.42571877e-3f);
  p = fmaf(p, t, -5.27344342e-2f);
  p = fmaf(p, t, -4.59135063e-1f);
  p = fmaf(p, t, -1.15111337f);
  p = fmaf(p, t, -9.99999849e-1f);
  const float beyond = Exp2(p);
  return x * (x < 0 ? beyond : 1 - beyond);
}

/// NaN stays.
__device__ __forceinline__ float Relu(float x) { return x < 0 ? 0 : x; }

template <Activation kActivation>
__device__ __forceinline__ float Activated(float x) {
  if constexpr (kActivation == Activation::kGelu) {
    return Gelu(x);
  } else if constexpr (kActivation == Activation::kGeluTanh) {
    // 0.5 x (1 + tanh(u)) = x / (1 + e^−2u)
    constexpr float kTwiceSqrt2OverPi = 1.59576912f;
    return x * Sigmoid(kTwiceSqrt2OverPi * (x + 0.044715f * x * x * x));
  } else if constexpr (kActivation == Activation::kRelu) {
    return Relu(x);
  } else if constexpr (kActivation == Activation::kSilu) {
    return x * Sigmoid(x);
  } else if constexpr (kActivation == Activation::kTanh) {
    return tanhf(x);
  } else if constexpr (kActivation == Activation::kSigmoid) {
    return Sigmoid(x);
  } else {
    static_assert(kActivation == Activation::kLog1pRelu);
    return log1pf(Relu(x));
  }
}

/// body.operator()<kActivation>() of the one named.
template <typename Body>
auto WithActivation(Activation activation, const Body& body) {
  switch (activation) {
    case Activation::kGelu:
      return body.template operator()<Activation::kGelu>();
    case Activation::kGeluTanh:
      return body.template operator()<Activation::kGeluTanh>();
    case Activation::kRelu:
      return body.template operator()<Activation::kRelu>();
    case Activation::kSilu:
      return body.template operator()<Activation::kSilu>();
    case Activation::kTanh:
      return body.template operator()<Activation::kTanh>();
    case Activation::kSigmoid:
      return body.template operator()<Activation::kSigmoid>();
    case Activation::kLog1pRelu:
      break;
  }
  return body.template operator()<Activation::kLog1pRelu>();
}

}  // namespace rose::kernels
