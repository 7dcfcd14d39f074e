#pragma once

#include <cstdint>

#include "rose/cpu/kernels.h"
#include "rose/cpu/row_body.h"

namespace rose::cpu {

template <typename V, typename T>
void CopyRow(const T* from, int64_t cols, float* to) {
  for (int64_t c = 0; c < cols; c += V::kWidth) {
    StoreUpTo(LoadUpTo<V>(from + c, cols - c), cols - c, to + c);
  }
}

/// scale × what add(sum, x, token) makes of `start` and the tokens first … tokens − 1, column by
/// column: some vectors of columns at once, so that the rows are read by whole cache lines.
template <typename V, typename T, typename Add>
void ReduceRows(const PoolArgs<T>& args, int64_t first, float start, float scale, const Add& add) {
  constexpr int64_t kVectors = 8;
  for (int64_t c = 0; c < args.cols; c += kVectors * V::kWidth) {
    const int64_t n = args.cols - c;
    V sums[kVectors];
    for (V& sum : sums) sum = V::Set(start);
    for (int64_t token = first; token < args.tokens; ++token) {
      const T* row = args.x + token * args.stride + c;
      for (int64_t i = 0; i < kVectors && i * V::kWidth < n; ++i) {
        sums[i] = add(sums[i], LoadUpTo<V>(row + i * V::kWidth, n - i * V::kWidth), token);
      }
    }
    for (int64_t i = 0; i < kVectors && i * V::kWidth < n; ++i) {
      StoreUpTo(sums[i] * V::Set(scale), n - i * V::kWidth, args.out + c + i * V::kWidth);
    }
  }
}

/// The sum of the tokens from `first` on, each times its weight (1, or its position from 1), times
/// `scale`.
template <typename V, typename T>
void SumRows(const PoolArgs<T>& args, int64_t first, bool by_position, float scale) {
  ReduceRows<V>(args, first, 0, scale, [&](V sum, V x, int64_t token) {
    return V::MulAdd(V::Set(by_position ? static_cast<float>(token + 1) : 1.0f), x, sum);
  });
}

template <typename V, typename T>
void LargestRow(const PoolArgs<T>& args, int64_t first) {
  ReduceRows<V>(args, first, -__builtin_inff(), 1,
                [](V largest, V x, int64_t) { return V::MaxOrNaN(largest, x); });
}

template <typename V, typename T>
void PoolRows(const PoolArgs<T>& args) {
  const int64_t first = args.skip < args.tokens ? args.skip : args.tokens;
  const int64_t count = args.tokens - first;
  const auto scale = [&](double divisor) {
    return count == 0 ? 0.0f : static_cast<float>(1 / divisor);
  };
  switch (args.mode) {
    case PoolingMode::kCls:
      return CopyRow<V>(args.x + (count == 0 ? 0 : first * args.stride), args.cols, args.out);
    case PoolingMode::kMax:
      return LargestRow<V>(args, first);
    case PoolingMode::kMean:
      return SumRows<V>(args, first, false, scale(static_cast<double>(count)));
    case PoolingMode::kMeanSqrtLen:
      return SumRows<V>(args, first, false, scale(__builtin_sqrt(static_cast<double>(count))));
    case PoolingMode::kWeightedMean: {
      const int64_t positions = (args.tokens + first + 1) * count / 2;  // first + 1 … tokens.
      return SumRows<V>(args, first, true, scale(static_cast<double>(positions)));
    }
    case PoolingMode::kLastToken:
      if (count == 0) return SumRows<V>(args, first, false, 0);  // Zeros.
      return CopyRow<V>(args.x + (args.tokens - 1) * args.stride, args.cols, args.out);
    case PoolingMode::kSum:
      return SumRows<V>(args, first, false, 1);
  }
}

template <typename V, typename T>
void NormalizeRow(int64_t cols, T* x) {
  double squares = 0;  // Values whose squares leave float32's range still have a direction.
  for (int64_t c = 0; c < cols; c += V::kWidth) {
    float values[V::kWidth];
    LoadUpTo<V>(x + c, cols - c).Store(values);
    for (const float value : values) squares += static_cast<double>(value) * value;
  }
  const double norm = __builtin_sqrt(squares);
  const V scale = V::Set(static_cast<float>(1 / (norm > 1e-12 ? norm : 1e-12)));
  for (int64_t c = 0; c < cols; c += V::kWidth) {
    StoreUpTo(LoadUpTo<V>(x + c, cols - c) * scale, cols - c, x + c);
  }
}

}  // namespace rose::cpu
