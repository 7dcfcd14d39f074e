#include "rose/core/reference_backend.h"

#include "common/check.h"
#include "rose/core/element.h"

namespace rose {
namespace {

float Rounded(float value, DType dtype) {
  return dtype == DType::kBFloat16 ? BFloat16::FromFloat(value).ToFloat() : value;
}

}  // namespace

Tensor ReferenceBackend::Store(std::span<const float> values, int64_t rows, int64_t cols,
                               DType dtype) {
  CHECK(static_cast<int64_t>(values.size()) == rows * cols);
  Tensor tensor{.dtype = dtype, .rows = rows, .cols = cols};
  blocks_.emplace_back(static_cast<std::size_t>(tensor.bytes()));
  tensor.data = blocks_.back().data();
  memory_bytes_ += tensor.bytes();
  for (int64_t i = 0; i < tensor.elements(); ++i) SetElement(tensor, i, values[i]);
  return tensor;
}

Tensor ReferenceBackend::MakeTable(std::span<const float> values, int64_t rows, int64_t cols) {
  return Store(values, rows, cols, dtype_);
}

Tensor ReferenceBackend::MakeVector(std::span<const float> values) {
  return Store(values, 1, static_cast<int64_t>(values.size()), DType::kFloat32);
}

const LinearWeight* ReferenceBackend::MakeLinear(std::span<const float> weight,
                                                 std::span<const float> bias, int64_t out_features,
                                                 int64_t in_features) {
  CHECK(static_cast<int64_t>(weight.size()) == out_features * in_features);
  CHECK(bias.empty() || static_cast<int64_t>(bias.size()) == out_features);
  auto linear = std::make_unique<ReferenceLinear>();
  linear->out_features = out_features;
  linear->in_features = in_features;
  linear->bias.assign(bias.begin(), bias.end());
  linear->bias.resize(static_cast<std::size_t>(out_features));
  linear->transposed.resize(weight.size());
  for (int64_t o = 0; o < out_features; ++o) {
    for (int64_t i = 0; i < in_features; ++i) {
      linear->transposed[i * out_features + o] = Rounded(weight[o * in_features + i], dtype_);
    }
  }
  memory_bytes_ += static_cast<int64_t>((weight.size() + linear->bias.size()) * sizeof(float));
  return linears_.emplace_back(std::move(linear)).get();
}

}  // namespace rose
