#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/row_body.h"

namespace rose::cpu {

/// One row of a norm. at(c) gives elements c … c + kWidth − 1 of the row and part(c, n) the first n
/// of them with zeros behind; both are called once in each pass, which keeps the sum of a fused
/// norm in float32 without a buffer.
template <typename V, typename T, typename At, typename Part>
class RowNorm {
 public:
  RowNorm(const NormWeights& norm, const At& at, const Part& part, int64_t cols)
      : norm_(norm),
        at_(at),
        part_(part),
        cols_(cols),
        whole_(cols / V::kWidth * V::kWidth),
        left_(cols - whole_) {}

  void Run(T* out) const {
    const float mean = norm_.kind == NormKind::kLayer ? Mean() : 0;
    const float squares = Squares(mean) / static_cast<float>(cols_);
    const V center = V::Set(mean), scale = V::Set(1 / __builtin_sqrtf(squares + norm_.epsilon));
    const float* weight = norm_.weight;
    const float* bias = norm_.bias;
    for (int64_t c = 0; c < whole_; c += V::kWidth) {
      const V shift = bias != nullptr ? V::Load(bias + c) : V::Set(0);
      V::MulAdd((at_(c) - center) * scale, V::Load(weight + c), shift).Store(out + c);
    }
    if (left_ > 0) {
      const V shift = bias != nullptr ? V::LoadPart(bias + whole_, left_) : V::Set(0);
      V::MulAdd((part_(whole_, left_) - center) * scale, V::LoadPart(weight + whole_, left_), shift)
          .StorePart(out + whole_, left_);
    }
  }

 private:
  /// add(sum, x) over the whole vectors of the row, in four sums: one would wait for itself.
  template <typename Add>
  V Total(const Add& add) const {
    V a = V::Set(0), b = a, c = a, d = a;
    int64_t at = 0;
    for (; at + 4 * V::kWidth <= whole_; at += 4 * V::kWidth) {
      a = add(a, at_(at));
      b = add(b, at_(at + V::kWidth));
      c = add(c, at_(at + 2 * V::kWidth));
      d = add(d, at_(at + 3 * V::kWidth));
    }
    for (; at < whole_; at += V::kWidth) a = add(a, at_(at));
    return (a + b) + (c + d);
  }

  float Mean() const {
    V sum = Total([](V total, V x) { return total + x; });
    if (left_ > 0) sum = sum + part_(whole_, left_);
    return sum.Sum() / static_cast<float>(cols_);
  }

  float Squares(float mean) const {
    const V center = V::Set(mean);
    const V squares = Total([&](V total, V x) {
      const V difference = x - center;
      return V::MulAdd(difference, difference, total);
    });
    float total = squares.Sum();
    if (left_ > 0) {  // The zeros behind would count mean² each.
      float differences[V::kWidth];
      (part_(whole_, left_) - center).Store(differences);
      for (int64_t i = 0; i < left_; ++i) total += differences[i] * differences[i];
    }
    return total;
  }

  const NormWeights& norm_;
  const At& at_;
  const Part& part_;
  int64_t cols_;
  int64_t whole_;
  int64_t left_;
};

template <typename V, typename T, typename At, typename Part>
void NormRow(const NormWeights& norm, const At& at, const Part& part, int64_t cols, T* out) {
  RowNorm<V, T, At, Part>(norm, at, part, cols).Run(out);
}

/// The norm of x + … of as many rows as there are pointers.
template <typename V, typename T, typename... Rows>
void NormSum(const NormWeights& norm, int64_t cols, T* out, const Rows*... rows) {
  NormRow<V>(
      norm, [&](int64_t c) { return (... + V::Load(rows + c)); },
      [&](int64_t c, int64_t n) { return (... + V::LoadPart(rows + c, n)); }, cols, out);
}

template <typename V, typename T>
void NormRows(const NormArgs<T>& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    const int64_t at = r * args.cols;
    if (args.residual == nullptr) {
      NormSum<V>(args.norm, args.cols, args.out + at, args.x + at);
    } else {
      NormSum<V>(args.norm, args.cols, args.out + at, args.x + at, args.residual + at);
    }
  }
}

template <typename V, typename T>
void ResidualNormRows(const ResidualNormArgs<T>& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    const int64_t at = r * args.cols;
    AddElements<V>(args.x + at, args.y + at, args.cols, args.x + at);
    NormSum<V>(args.norm, args.cols, args.out + at, args.x + at);
  }
}

template <typename V, typename T>
void EmbedNormRows(const EmbedNormArgs<T>& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* x = args.words + args.ids[r] * args.cols;
    T* out = args.out + r * args.cols;
    const T* y =
        args.positions == nullptr ? nullptr : args.positions + args.position_ids[r] * args.cols;
    const T* z = args.types == nullptr ? nullptr : args.types + args.type_ids[r] * args.cols;
    if (y != nullptr && z != nullptr) {
      NormSum<V>(args.norm, args.cols, out, x, y, z);
    } else if (y != nullptr || z != nullptr) {
      NormSum<V>(args.norm, args.cols, out, x, y != nullptr ? y : z);
    } else {
      NormSum<V>(args.norm, args.cols, out, x);
    }
  }
}

}  // namespace rose::cpu
