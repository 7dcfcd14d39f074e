#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/math_body.h"

namespace rose::cpu {

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
void ActivateElements(Activation activation, int64_t n, T* x) {
  WithActivation<V>(activation, [&](auto function) {
    int64_t i = 0;
    for (; i + V::kWidth <= n; i += V::kWidth) function(V::Load(x + i)).Store(x + i);
    if (i < n) function(V::LoadPart(x + i, n - i)).StorePart(x + i, n - i);
  });
}

}  // namespace rose::cpu
