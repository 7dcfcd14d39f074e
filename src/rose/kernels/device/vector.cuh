#pragma once

#include <cuda_bf16.h>

#include <cstdint>
#include <cstring>

namespace rose::kernels {

/// Memory that moves in one access.
template <int kBytes>
struct AccessOf;
template <>
struct AccessOf<2> {
  using Type = uint16_t;
};
template <>
struct AccessOf<4> {
  using Type = uint32_t;
};
template <>
struct AccessOf<8> {
  using Type = uint2;
};
template <>
struct AccessOf<16> {
  using Type = uint4;
};

/// `kWidth` elements as they lie in memory.
template <typename T, int kWidth>
struct Vector {
  typename AccessOf<static_cast<int>(sizeof(T)) * kWidth>::Type bits;
};

/// The same as numbers, in registers: index it with constants only.
template <int kWidth>
struct Floats {
  float values[kWidth];

  __device__ __forceinline__ float& operator[](int i) { return values[i]; }
  __device__ __forceinline__ float operator[](int i) const { return values[i]; }
};

/// `from` is aligned to the vector.
template <typename T, int kWidth>
__device__ __forceinline__ Vector<T, kWidth> Load(const T* from) {
  using Bits = decltype(Vector<T, kWidth>::bits);
  return {*reinterpret_cast<const Bits*>(from)};
}

/// Load of what no kernel writes while this one may run, weights and tables. The compiler may move
/// it, past stores and past WaitForPredecessor in either direction: what shall be under way before
/// the wait takes Load.
template <typename T, int kWidth>
__device__ __forceinline__ Vector<T, kWidth> LoadConstant(const T* from) {
  using Bits = decltype(Vector<T, kWidth>::bits);
  return {__ldg(reinterpret_cast<const Bits*>(from))};
}

template <typename T, int kWidth>
__device__ __forceinline__ void Store(T* to, Vector<T, kWidth> vector) {
  using Bits = decltype(Vector<T, kWidth>::bits);
  *reinterpret_cast<Bits*>(to) = vector.bits;
}

template <int kWidth>
__device__ __forceinline__ Floats<kWidth> Widen(const Vector<float, kWidth>& vector) {
  Floats<kWidth> floats;
  memcpy(floats.values, &vector.bits, sizeof floats);
  return floats;
}

template <int kWidth>
__device__ __forceinline__ Floats<kWidth> Widen(const Vector<__nv_bfloat16, kWidth>& vector) {
  Floats<kWidth> floats;
  if constexpr (kWidth == 1) {
    floats[0] = __uint_as_float(uint32_t{vector.bits} << 16);
  } else {
    uint32_t pairs[kWidth / 2];
    memcpy(pairs, &vector.bits, sizeof pairs);
#pragma unroll
    for (int i = 0; i < kWidth / 2; ++i) {
      floats[2 * i] = __uint_as_float(pairs[i] << 16);
      floats[2 * i + 1] = __uint_as_float(pairs[i] & 0xffff0000u);
    }
  }
  return floats;
}

/// Rounds to T, to nearest even.
template <typename T, int kWidth>
__device__ __forceinline__ Vector<T, kWidth> Narrow(const Floats<kWidth>& floats) {
  Vector<T, kWidth> vector;
  if constexpr (sizeof(T) == sizeof(float)) {
    memcpy(&vector.bits, floats.values, sizeof floats);
  } else if constexpr (kWidth == 1) {
    vector.bits = __bfloat16_as_ushort(__float2bfloat16_rn(floats[0]));
  } else {
    __nv_bfloat162 pairs[kWidth / 2];
#pragma unroll
    for (int i = 0; i < kWidth / 2; ++i) {
      pairs[i] = __floats2bfloat162_rn(floats[2 * i], floats[2 * i + 1]);
    }
    memcpy(&vector.bits, pairs, sizeof pairs);
  }
  return vector;
}

/// `kWidth` float32 weights, in 16-byte accesses where that is wider: those of a vector of
/// bfloat16. kEarly: with Load, else with LoadConstant.
template <int kWidth, bool kEarly>
__device__ __forceinline__ Floats<kWidth> LoadWeights(const float* from) {
  constexpr int kStep = kWidth < 4 ? kWidth : 4;
  Floats<kWidth> floats;
#pragma unroll
  for (int i = 0; i < kWidth; i += kStep) {
    const Floats<kStep> part =
        Widen(kEarly ? Load<float, kStep>(from + i) : LoadConstant<float, kStep>(from + i));
    memcpy(floats.values + i, part.values, sizeof part);
  }
  return floats;
}

template <int kWidth>
__device__ __forceinline__ void StoreFloats(float* to, const Floats<kWidth>& floats) {
  constexpr int kStep = kWidth < 4 ? kWidth : 4;
#pragma unroll
  for (int i = 0; i < kWidth; i += kStep) {
    Floats<kStep> part;
    memcpy(part.values, floats.values + i, sizeof part);
    Store(to + i, Narrow<float>(part));
  }
}

/// Every element `value`.
template <int kWidth>
__device__ __forceinline__ Floats<kWidth> Filled(float value) {
  Floats<kWidth> floats;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) floats[i] = value;
  return floats;
}

template <int kWidth>
__device__ __forceinline__ Floats<kWidth> operator+(const Floats<kWidth>& a,
                                                    const Floats<kWidth>& b) {
  Floats<kWidth> sum;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) sum[i] = a[i] + b[i];
  return sum;
}

/// `floats`, or zeros for padding: without a branch, so that loads do not wait for what is padding.
template <int kWidth>
__device__ __forceinline__ Floats<kWidth> ZeroUnless(bool used, const Floats<kWidth>& floats) {
  Floats<kWidth> out;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) out[i] = used ? floats[i] : 0;
  return out;
}

}  // namespace rose::kernels
