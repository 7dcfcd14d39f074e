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

double Apply(Activation activation, double x) {
  switch (activation) {
    case Activation::kGelu:
      return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case Activation::kGeluTanh: {
      const double sqrt_2_over_pi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
      return 0.5 * x * (1 + std::tanh(sqrt_2_over_pi * (x + 0.044715 * x * x * x)));
    }
    case Activation::kRelu:
      return std::isnan(x) ? x : std::max(x, 0.0);
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::kLog1pRelu:
      return std::isnan(x) ? x : std::log1p(std::max(x, 0.0));
  }
  CHECK(false) << "activation " << static_cast<int>(activation);
}

/// The norm of the `cols` elements of x from `x_at` on, to those of `out` from `out_at` on.
void NormElements(const NormParams& norm, Tensor x, int64_t x_at, Tensor out, int64_t out_at) {
  const int64_t cols = norm.weight.cols;
  double mean = 0, squares = 0;
  for (int64_t c = 0; c < cols && norm.kind == NormKind::kLayer; ++c) {
    mean += GetElement(x, x_at + c) / static_cast<double>(cols);
  }
  for (int64_t c = 0; c < cols; ++c) {
    const double difference = GetElement(x, x_at + c) - mean;
    squares += difference * difference / static_cast<double>(cols);
  }
  const double scale = 1 / std::sqrt(squares + norm.epsilon);
  for (int64_t c = 0; c < cols; ++c) {
    const double unit = (GetElement(x, x_at + c) - mean) * scale;
    const double bias = norm.bias.data == nullptr ? 0 : norm.bias.f32()[c];
    SetElement(out, out_at + c, static_cast<float>(unit * norm.weight.f32()[c] + bias));
  }
}

/// Rows [begin, end) and columns [column, column + cols) of `x`, widened; row-major.
std::vector<double> Doubles(Tensor x, int64_t begin, int64_t end, int64_t column, int64_t cols) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>((end - begin) * cols));
  for (int64_t r = begin; r < end; ++r) {
    for (int64_t c = 0; c < cols; ++c) values.push_back(GetElement(x, r * x.cols + column + c));
  }
  return values;
}

bool Sees(const AttentionParams& params, int64_t i, int64_t j) {
  const bool causal = params.mask == AttentionMask::kCausal;
  if (causal && j > i) return false;
  if (params.window == 0) return true;
  return causal ? i - j < params.window : std::abs(i - j) <= params.window;
}

/// One head of one sequence.
struct Head {
  int64_t number;
  std::vector<double> queries, keys, values;  ///< [tokens × dim]
};

/// softmax(scale · q Kᵀ + bias) V for query i.
std::vector<double> Attend(const AttentionParams& params, const Head& head, int64_t i) {
  const int64_t dim = params.head_dim;
  const auto tokens = static_cast<int64_t>(head.queries.size()) / dim;
  const int64_t positions = (params.position_bias.cols + 1) / 2;
  std::vector<double> weights(static_cast<std::size_t>(tokens));
  for (int64_t j = 0; j < tokens; ++j) {
    double score = 0;
    for (int64_t d = 0; d < dim; ++d) score += head.queries[i * dim + d] * head.keys[j * dim + d];
    weights[j] = params.scale * score;
    if (params.position_bias.data != nullptr) {
      weights[j] +=
          params.position_bias.f32()[head.number * (2 * positions - 1) + j - i + positions - 1];
    }
    if (!Sees(params, i, j)) weights[j] = -std::numeric_limits<double>::infinity();
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  std::vector<double> out(static_cast<std::size_t>(dim));
  for (int64_t j = 0; j < tokens; ++j) {
    for (int64_t d = 0; d < dim; ++d) out[d] += weights[j] / sum * head.values[j * dim + d];
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
    if (!std::isnan(largest) && !(h(i) <= largest)) largest = h(i);  // NaN stays.
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
    case PoolingMode::kSum:
      return static_cast<float>(sum);
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
  CHECK(norm.weight.cols == x.cols && x.elements() == out.elements());
  for (int64_t r = 0; r < x.rows; ++r) NormElements(norm, x, r * x.cols, out, r * x.cols);
}

void ReferenceOps::HeadNorm(const NormParams& norm, int64_t column, int64_t heads, Tensor x) {
  CHECK(column + heads * norm.weight.cols <= x.cols);
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t head = 0; head < heads; ++head) {
      const int64_t at = r * x.cols + column + head * norm.weight.cols;
      NormElements(norm, x, at, x, at);
    }
  }
}

void ReferenceOps::Rope(const RopeParams& rope, std::span<const int32_t> position_ids,
                        int64_t heads, Tensor x) {
  CHECK(heads * rope.head_dim <= x.cols && static_cast<int64_t>(position_ids.size()) == x.rows);
  CHECK(rope.rotary_dim <= rope.head_dim && rope.table.cols == rope.rotary_dim);
  const int64_t half = rope.rotary_dim / 2;
  for (int64_t r = 0; r < x.rows; ++r) {
    CHECK(0 <= position_ids[r] && position_ids[r] < rope.table.rows);
    const float* cosines = rope.table.f32() + position_ids[r] * rope.rotary_dim;
    const float* sines = cosines + half;
    for (int64_t head = 0; head < heads; ++head) {
      const int64_t at = r * x.cols + head * rope.head_dim;
      for (int64_t c = 0; c < half; ++c) {
        const double first = GetElement(x, at + c), second = GetElement(x, at + half + c);
        SetElement(x, at + c, static_cast<float>(first * cosines[c] - second * sines[c]));
        SetElement(x, at + half + c, static_cast<float>(second * cosines[c] + first * sines[c]));
      }
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
  for (int64_t i = 0; i < x.elements(); ++i) {
    SetElement(x, i, static_cast<float>(Apply(activation, GetElement(x, i))));
  }
}

void ReferenceOps::Gate(Activation activation, Tensor x, Tensor out) {
  CHECK(x.cols == 2 * out.cols && x.rows == out.rows);
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t c = 0; c < out.cols; ++c) {
      const double gate = Apply(activation, GetElement(x, r * x.cols + c));
      const double value = GetElement(x, r * x.cols + out.cols + c);
      SetElement(out, r * out.cols + c, static_cast<float>(gate * value));
    }
  }
}

void ReferenceOps::Attention(const AttentionParams& params, Tensor qkv, const BatchShape& shape,
                             Tensor out) {
  const int64_t dim = params.head_dim, kv_heads = params.key_value_heads();
  CHECK(out.cols == params.heads * dim && qkv.cols == params.qkv_cols());
  CHECK(shape.tokens == qkv.rows && shape.tokens == out.rows);
  CHECK(params.heads % kv_heads == 0 && params.paged_keys == nullptr);
  for (int64_t s = 0; s < shape.sequences(); ++s) {
    const int64_t begin = shape.cu_seqlens[s], end = shape.cu_seqlens[s + 1];
    for (int64_t h = 0; h < params.heads; ++h) {
      const int64_t kv_head = h / (params.heads / kv_heads);
      const Head head{
          .number = h,
          .queries = Doubles(qkv, begin, end, h * dim, dim),
          .keys = Doubles(qkv, begin, end, (params.heads + kv_head) * dim, dim),
          .values = Doubles(qkv, begin, end, (params.heads + kv_heads + kv_head) * dim, dim)};
      for (int64_t i = begin; i < end; ++i) {
        const std::vector<double> row = Attend(params, head, i - begin);
        for (int64_t d = 0; d < dim; ++d) {
          SetElement(out, i * out.cols + h * dim + d, static_cast<float>(row[d]));
        }
      }
    }
  }
}

void ReferenceOps::Pool(PoolingMode mode, Tensor x, const BatchShape& shape,
                        std::span<const int32_t> skip, int64_t column, Tensor out) {
  CHECK(shape.tokens == x.rows && shape.sequences() == out.rows && column + x.cols <= out.cols);
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
  CHECK(flags.empty() || static_cast<int64_t>(flags.size()) == x.rows);
  for (int64_t r = 0; r < x.rows; ++r) {
    if (!flags.empty() && flags[r] == 0) continue;
    double squares = 0;
    for (int64_t c = 0; c < x.cols; ++c) {
      const double value = GetElement(x, r * x.cols + c);
      squares += value * value;
    }
    const double norm = std::max(std::sqrt(squares), 1e-12);
    for (int64_t i = r * x.cols; i < (r + 1) * x.cols; ++i) {
      SetElement(x, i, static_cast<float>(GetElement(x, i) / norm));
    }
  }
}

void ReferenceOps::Widen(Tensor x, Tensor out) {
  CHECK(x.elements() == out.elements());
  for (int64_t i = 0; i < x.elements(); ++i) out.f32()[i] = GetElement(x, i);
}

}  // namespace rose
