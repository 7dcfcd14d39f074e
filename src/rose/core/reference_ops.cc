#include "rose/core/reference_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "common/check.h"
#include "rose/core/element.h"
#include "rose/core/reference_backend.h"

namespace rose {
namespace {

float Apply(Activation activation, double x) {
  switch (activation) {
    case Activation::kGelu:
      return static_cast<float>(0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)));
    case Activation::kGeluTanh: {
      const double sqrt_2_over_pi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
      return static_cast<float>(0.5 * x *
                                (1 + std::tanh(sqrt_2_over_pi * (x + 0.044715 * x * x * x))));
    }
    case Activation::kRelu:
      return static_cast<float>(std::max(x, 0.0));
    case Activation::kTanh:
      return static_cast<float>(std::tanh(x));
  }
  CHECK(false) << "activation " << static_cast<int>(activation);
}

/// Rows [begin, end) and columns [column, column + cols) of `x`, widened; row-major.
std::vector<double> Widen(Tensor x, int64_t begin, int64_t end, int64_t column, int64_t cols) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>((end - begin) * cols));
  for (int64_t r = begin; r < end; ++r) {
    for (int64_t c = 0; c < cols; ++c) values.push_back(GetElement(x, r * x.cols + column + c));
  }
  return values;
}

/// softmax(scale · q Kᵀ) V for one query q [dim]; keys and values are [n × dim].
std::vector<double> Attend(const double* q, const std::vector<double>& keys,
                           const std::vector<double>& values, int64_t dim, double scale) {
  std::vector<double> weights(keys.size() / dim);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    double score = 0;
    for (int64_t d = 0; d < dim; ++d) score += q[d] * keys[j * dim + d];
    weights[j] = scale * score;
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  std::vector<double> out(dim);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    for (int64_t d = 0; d < dim; ++d) out[d] += weights[j] / sum * values[j * dim + d];
  }
  return out;
}

/// One column of one sequence: h(i) for its tokens i < n, of which the first k do not count.
template <typename Column>
float PoolColumn(PoolingMode mode, const Column& h, int64_t n, int64_t k) {
  double sum = 0, weights = 0, largest = -std::numeric_limits<double>::infinity();
  for (int64_t i = k; i < n; ++i) {
    const double weight = mode == PoolingMode::kWeightedMean ? static_cast<double>(i + 1) : 1;
    sum += weight * h(i);
    weights += weight;
    largest = std::max(largest, h(i));
  }
  const bool none = k == n;
  switch (mode) {
    case PoolingMode::kCls:
      return static_cast<float>(h(none ? 0 : k));
    case PoolingMode::kMax:
      return static_cast<float>(largest);
    case PoolingMode::kMean:
    case PoolingMode::kWeightedMean:
      return none ? 0 : static_cast<float>(sum / weights);
    case PoolingMode::kMeanSqrtLen:
      return none ? 0 : static_cast<float>(sum / std::sqrt(weights));
    case PoolingMode::kLastToken:
      return none ? 0 : static_cast<float>(h(n - 1));
  }
  CHECK(false) << "pooling mode " << static_cast<int>(mode);
}

}  // namespace

ReferenceOps::ReferenceOps(DType dtype, int64_t arena_bytes)
    : dtype_(dtype),
      memory_(static_cast<std::size_t>((arena_bytes + Arena::kAlignment - 1) / Arena::kAlignment)),
      arena_(reinterpret_cast<std::byte*>(memory_.data()),
             static_cast<int64_t>(memory_.size()) * Arena::kAlignment) {}

Tensor ReferenceOps::Scratch(int64_t rows, int64_t cols, DType dtype) {
  const Tensor tensor = arena_.Take(rows, cols, dtype);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    SetElement(tensor, i, std::numeric_limits<float>::quiet_NaN());
  }
  return tensor;
}

void ReferenceOps::Embed(Tensor table, std::span<const int32_t> ids, Tensor out, bool add) {
  CHECK(static_cast<int64_t>(ids.size()) == out.rows && table.cols == out.cols);
  for (int64_t r = 0; r < out.rows; ++r) {
    CHECK(0 <= ids[r] && ids[r] < table.rows) << "id " << ids[r] << " of " << table.rows;
    for (int64_t c = 0; c < out.cols; ++c) {
      const float value = GetElement(table, ids[r] * table.cols + c);
      const float old = add ? GetElement(out, r * out.cols + c) : 0;
      SetElement(out, r * out.cols + c, old + value);
    }
  }
}

void ReferenceOps::Add(Tensor x, Tensor y, Tensor out) {
  CHECK(x.elements() == out.elements() && y.elements() == out.elements());
  for (int64_t i = 0; i < out.elements(); ++i) {
    SetElement(out, i, GetElement(x, i) + GetElement(y, i));
  }
}

void ReferenceOps::Norm(const NormParams& norm, Tensor x, Tensor out) {
  CHECK(norm.weight.cols == x.cols && norm.bias.cols == x.cols && x.elements() == out.elements());
  const auto cols = static_cast<double>(x.cols);
  for (int64_t r = 0; r < x.rows; ++r) {
    double mean = 0, variance = 0;
    for (int64_t c = 0; c < x.cols; ++c) mean += GetElement(x, r * x.cols + c) / cols;
    for (int64_t c = 0; c < x.cols; ++c) {
      const double difference = GetElement(x, r * x.cols + c) - mean;
      variance += difference * difference / cols;
    }
    const double scale = 1 / std::sqrt(variance + norm.epsilon);
    for (int64_t c = 0; c < x.cols; ++c) {
      const double unit = (GetElement(x, r * x.cols + c) - mean) * scale;
      SetElement(out, r * x.cols + c,
                 static_cast<float>(unit * norm.weight.f32()[c] + norm.bias.f32()[c]));
    }
  }
}

void ReferenceOps::Linear(const LinearWeight& weight, Tensor x, Tensor out) {
  const auto& linear = static_cast<const ReferenceLinear&>(weight);
  const int64_t n = linear.out_features, k = linear.in_features;
  CHECK(x.cols == k && out.cols == n && x.rows == out.rows);
  for (int64_t r = 0; r < x.rows; ++r) {
    std::vector<double> sums(linear.bias.begin(), linear.bias.end());
    for (int64_t i = 0; i < k; ++i) {
      const double value = GetElement(x, r * k + i);
      const float* column = linear.transposed.data() + i * n;
      for (int64_t o = 0; o < n; ++o) sums[o] += value * column[o];
    }
    for (int64_t o = 0; o < n; ++o) SetElement(out, r * n + o, static_cast<float>(sums[o]));
  }
}

void ReferenceOps::Activate(Activation activation, Tensor x) {
  for (int64_t i = 0; i < x.elements(); ++i) SetElement(x, i, Apply(activation, GetElement(x, i)));
}

void ReferenceOps::Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                             Tensor out) {
  CHECK(out.cols == int64_t{params.heads} * params.head_dim && qkv.cols == 3 * out.cols);
  CHECK(shape.tokens() == qkv.rows && shape.tokens() == out.rows);
  const int64_t dim = params.head_dim;
  for (int64_t s = 0; s < shape.sequences(); ++s) {
    const int64_t begin = shape.cu_seqlens[s], end = shape.cu_seqlens[s + 1];
    for (int64_t column = 0; column < out.cols; column += dim) {
      const std::vector<double> queries = Widen(qkv, begin, end, column, dim);
      const std::vector<double> keys = Widen(qkv, begin, end, out.cols + column, dim);
      const std::vector<double> values = Widen(qkv, begin, end, 2 * out.cols + column, dim);
      for (int64_t i = begin; i < end; ++i) {
        const auto row = Attend(&queries[(i - begin) * dim], keys, values, dim, params.scale);
        for (int64_t d = 0; d < dim; ++d) {
          SetElement(out, i * out.cols + column + d, static_cast<float>(row[d]));
        }
      }
    }
  }
}

void ReferenceOps::Pool(PoolingMode mode, Tensor x, const BatchShape& shape,
                        std::span<const int32_t> skip, int64_t column, Tensor out) {
  CHECK(shape.tokens() == x.rows && shape.sequences() == out.rows && column + x.cols <= out.cols);
  CHECK(skip.empty() || static_cast<int64_t>(skip.size()) == out.rows);
  for (int64_t s = 0; s < shape.sequences(); ++s) {
    const int64_t begin = shape.cu_seqlens[s], n = shape.cu_seqlens[s + 1] - begin;
    const int64_t k = skip.empty() ? 0 : std::min<int64_t>(skip[s], n);
    for (int64_t c = 0; c < x.cols; ++c) {
      const auto h = [&](int64_t i) { return double{GetElement(x, (begin + i) * x.cols + c)}; };
      out.f32()[s * out.cols + column + c] = PoolColumn(mode, h, n, k);
    }
  }
}

void ReferenceOps::Normalize(std::span<const uint8_t> flags, Tensor x) {
  CHECK(static_cast<int64_t>(flags.size()) == x.rows);
  for (int64_t r = 0; r < x.rows; ++r) {
    if (flags[r] == 0) continue;
    float* row = x.f32() + r * x.cols;
    double squares = 0;
    for (int64_t c = 0; c < x.cols; ++c) squares += double{row[c]} * row[c];
    const double norm = std::max(std::sqrt(squares), 1e-12);
    for (int64_t c = 0; c < x.cols; ++c) row[c] = static_cast<float>(row[c] / norm);
  }
}

}  // namespace rose
