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

/// softmax(scale · q Kᵀ) V for one query row and one head. Row r of `qkv` holds the head's query at
/// column `head_column`, its key `hidden` further on, its value another `hidden` further.
void AttendRow(const AttentionParams& params, Tensor qkv, int64_t query, int64_t begin, int64_t end,
               int64_t head_column, Tensor out) {
  const int64_t hidden = int64_t{params.heads} * params.head_dim;
  const auto at = [&](int64_t row, int64_t column) {
    return double{GetElement(qkv, row * qkv.cols + head_column + column)};
  };
  std::vector<double> weights;
  for (int64_t key = begin; key < end; ++key) {
    double score = 0;
    for (int64_t d = 0; d < params.head_dim; ++d) score += at(query, d) * at(key, hidden + d);
    weights.push_back(score * params.scale);
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  for (int64_t d = 0; d < params.head_dim; ++d) {
    double value = 0;
    for (int64_t key = begin; key < end; ++key) {
      value += weights[key - begin] * at(key, 2 * hidden + d);
    }
    SetElement(out, query * out.cols + head_column + d, static_cast<float>(value / sum));
  }
}

/// One column of one sequence: h(i) for its tokens i < n, of which the first k do not count.
template <typename Column>
float PoolColumn(Pooling pooling, const Column& h, int64_t n, int64_t k) {
  double sum = 0, weights = 0, largest = -std::numeric_limits<double>::infinity();
  for (int64_t i = k; i < n; ++i) {
    const double weight = pooling == Pooling::kWeightedMean ? static_cast<double>(i + 1) : 1;
    sum += weight * h(i);
    weights += weight;
    largest = std::max(largest, h(i));
  }
  const bool none = k == n;
  switch (pooling) {
    case Pooling::kCls:
      return static_cast<float>(h(none ? 0 : k));
    case Pooling::kMax:
      return static_cast<float>(largest);
    case Pooling::kMean:
    case Pooling::kWeightedMean:
      return none ? 0 : static_cast<float>(sum / weights);
    case Pooling::kMeanSqrtLen:
      return none ? 0 : static_cast<float>(sum / std::sqrt(weights));
    case Pooling::kLastToken:
      return none ? 0 : static_cast<float>(h(n - 1));
  }
  CHECK(false) << "pooling " << static_cast<int>(pooling);
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
    for (int64_t o = 0; o < n; ++o) {
      double sum = linear.bias[o];
      for (int64_t i = 0; i < k; ++i) {
        sum += double{GetElement(x, r * k + i)} * GetElement(linear.weight, o * k + i);
      }
      SetElement(out, r * n + o, static_cast<float>(sum));
    }
  }
}

void ReferenceOps::Activate(Activation activation, Tensor x) {
  for (int64_t i = 0; i < x.elements(); ++i) SetElement(x, i, Apply(activation, GetElement(x, i)));
}

void ReferenceOps::Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                             Tensor out) {
  CHECK(out.cols == int64_t{params.heads} * params.head_dim && qkv.cols == 3 * out.cols);
  CHECK(shape.tokens() == qkv.rows && shape.tokens() == out.rows);
  for (int64_t s = 0; s < shape.sequences(); ++s) {
    const int64_t begin = shape.cu_seqlens[s], end = shape.cu_seqlens[s + 1];
    for (int64_t query = begin; query < end; ++query) {
      for (int64_t head = 0; head < params.heads; ++head) {
        AttendRow(params, qkv, query, begin, end, head * params.head_dim, out);
      }
    }
  }
}

void ReferenceOps::Pool(Pooling pooling, Tensor x, const BatchShape& shape,
                        std::span<const int32_t> skip, int64_t column, Tensor out) {
  CHECK(shape.tokens() == x.rows && shape.sequences() == out.rows && column + x.cols <= out.cols);
  CHECK(skip.empty() || static_cast<int64_t>(skip.size()) == out.rows);
  for (int64_t s = 0; s < shape.sequences(); ++s) {
    const int64_t begin = shape.cu_seqlens[s], n = shape.cu_seqlens[s + 1] - begin;
    const int64_t k = skip.empty() ? 0 : std::min<int64_t>(skip[s], n);
    for (int64_t c = 0; c < x.cols; ++c) {
      const auto h = [&](int64_t i) { return double{GetElement(x, (begin + i) * x.cols + c)}; };
      out.f32()[s * out.cols + column + c] = PoolColumn(pooling, h, n, k);
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
