#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/math_body.h"

namespace rose::cpu {

/// The first min(n, kWidth) elements; the others are 0.
template <typename V, typename T>
V LoadUpTo(const T* from, int64_t n) {
  return n >= V::kWidth ? V::Load(from) : V::LoadPart(from, n);
}

template <typename V, typename T>
void StoreUpTo(V value, int64_t n, T* to) {
  if (n >= V::kWidth) {
    value.Store(to);
  } else {
    value.StorePart(to, n);
  }
}

template <typename V, typename T>
void AddElements(const T* x, const T* y, int64_t n, T* out) {
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) (V::Load(x + i) + V::Load(y + i)).Store(out + i);
  if (i < n) (V::LoadPart(x + i, n - i) + V::LoadPart(y + i, n - i)).StorePart(out + i, n - i);
}

template <typename V, typename T>
void EmbedRows(const T* table, const int32_t* ids, int64_t rows, int64_t cols, bool add, T* out) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* from = table + ids[r] * cols;
    T* to = out + r * cols;
    if (add) {
      AddElements<V>(to, from, cols, to);
    } else {
      __builtin_memcpy(to, from, static_cast<unsigned long>(cols) * sizeof(T));
    }
  }
}

template <typename V, typename T>
void RopeRow(const RopeAngles& angles, int64_t heads, int64_t head_dim, T* x) {
  const auto turn = [](V cos, V sin, V& first, V& second) {
    const V turned = first * cos - second * sin;
    second = second * cos + first * sin;
    first = turned;
  };
  const int64_t half = angles.half;
  for (int64_t head = 0; head < heads; ++head) {
    T* first = x + head * head_dim;
    T* second = first + half;
    int64_t c = 0;
    for (; c + V::kWidth <= half; c += V::kWidth) {
      V low = V::Load(first + c), high = V::Load(second + c);
      turn(V::Load(angles.cosines + c), V::Load(angles.sines + c), low, high);
      low.Store(first + c);
      high.Store(second + c);
    }
    if (const int64_t left = half - c; left > 0) {
      V low = V::LoadPart(first + c, left), high = V::LoadPart(second + c, left);
      turn(V::LoadPart(angles.cosines + c, left), V::LoadPart(angles.sines + c, left), low, high);
      low.StorePart(first + c, left);
      high.StorePart(second + c, left);
    }
  }
}

template <typename V, typename T>
void GateRows(Activation activation, const T* x, int64_t rows, int64_t cols, T* out) {
  WithActivation<V>(activation, [&](auto function) {
    for (int64_t r = 0; r < rows; ++r) {
      const T* gate = x + 2 * r * cols;
      const T* value = gate + cols;
      T* to = out + r * cols;
      int64_t c = 0;
      for (; c + V::kWidth <= cols; c += V::kWidth) {
        (function(V::Load(gate + c)) * V::Load(value + c)).Store(to + c);
      }
      if (const int64_t left = cols - c; left > 0) {
        (function(V::LoadPart(gate + c, left)) * V::LoadPart(value + c, left))
            .StorePart(to + c, left);
      }
    }
  });
}

template <typename V, typename T>
void WidenElements(const T* x, int64_t n, float* out) {
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) V::Load(x + i).Store(out + i);
  if (i < n) V::LoadPart(x + i, n - i).StorePart(out + i, n - i);
}

template <typename V, typename T>
void ActivateElements(Activation activation, int64_t n, T* x) {
  WithActivation<V>(activation, [&](auto function) {
    int64_t i = 0;
    for (; i + V::kWidth <= n; i += V::kWidth) function(V::Load(x + i)).Store(x + i);
    if (i < n) function(V::LoadPart(x + i, n - i)).StorePart(x + i, n - i);
  });
}

}  // namespace rose::cpu
