#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"

namespace rose::cpu {

/// One row of a layer norm. at(c) gives elements c … c + kWidth − 1 of the row and part(c, n) the
/// first n of them with zeros behind; both are called once in each of three passes, which keeps
/// the sum of a fused norm in float32 without a buffer.
template <typename V, typename T, typename At, typename Part>
void NormRow(const At& at, const Part& part, int64_t cols, const float* weight, const float* bias,
             float epsilon, T* out) {
  const int64_t whole = cols / V::kWidth * V::kWidth, left = cols - whole;
  V sum = V::Set(0);
  for (int64_t c = 0; c < whole; c += V::kWidth) sum = sum + at(c);
  if (left > 0) sum = sum + part(whole, left);
  const float mean = sum.Sum() / static_cast<float>(cols);
  const V center = V::Set(mean);

  V squares = V::Set(0);
  for (int64_t c = 0; c < whole; c += V::kWidth) {
    const V difference = at(c) - center;
    squares = V::MulAdd(difference, difference, squares);
  }
  float total = squares.Sum();
  if (left > 0) {  // The zeros behind would count mean² each.
    float differences[V::kWidth];
    (part(whole, left) - center).Store(differences);
    for (int64_t i = 0; i < left; ++i) total += differences[i] * differences[i];
  }
  const float variance = total / static_cast<float>(cols);
  const V scale = V::Set(1 / __builtin_sqrtf(variance + epsilon));

  for (int64_t c = 0; c < whole; c += V::kWidth) {
    V::MulAdd((at(c) - center) * scale, V::Load(weight + c), V::Load(bias + c)).Store(out + c);
  }
  if (left > 0) {
    V::MulAdd((part(whole, left) - center) * scale, V::LoadPart(weight + whole, left),
              V::LoadPart(bias + whole, left))
        .StorePart(out + whole, left);
  }
}

template <typename V, typename T>
void NormRows(const NormArgs<T>& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* x = args.x + r * args.cols;
    T* out = args.out + r * args.cols;
    if (args.residual == nullptr) {
      NormRow<V>([&](int64_t c) { return V::Load(x + c); },
                 [&](int64_t c, int64_t n) { return V::LoadPart(x + c, n); }, args.cols,
                 args.weight, args.bias, args.epsilon, out);
      continue;
    }
    const T* y = args.residual + r * args.cols;
    NormRow<V>([&](int64_t c) { return V::Load(x + c) + V::Load(y + c); },
               [&](int64_t c, int64_t n) { return V::LoadPart(x + c, n) + V::LoadPart(y + c, n); },
               args.cols, args.weight, args.bias, args.epsilon, out);
  }
}

template <typename V, typename T>
void EmbedNormRows(const EmbedNormArgs<T>& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* x = args.words + args.ids[r] * args.cols;
    const T* y = args.positions + args.position_ids[r] * args.cols;
    const T* z = args.types + args.type_ids[r] * args.cols;
    NormRow<V>([&](int64_t c) { return V::Load(x + c) + V::Load(y + c) + V::Load(z + c); },
               [&](int64_t c, int64_t n) {
                 return V::LoadPart(x + c, n) + V::LoadPart(y + c, n) + V::LoadPart(z + c, n);
               },
               args.cols, args.weight, args.bias, args.epsilon, args.out + r * args.cols);
  }
}

}  // namespace rose::cpu
