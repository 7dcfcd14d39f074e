#include "rose/loading/loader.h"

#include <fmt/format.h>

#include <utility>

#include "rose/weights/convert.h"

namespace rose {

void Loader::Append(std::string_view name, std::initializer_list<int64_t> shape,
                    std::vector<float>& values) {
  if (!ok()) return;
  absl::StatusOr<HostTensor> tensor = weights_.Get(name, shape);
  if (!tensor.ok()) {
    status_ = std::move(tensor).status();
    return;
  }
  const std::size_t old_size = values.size();
  values.resize(old_size + static_cast<std::size_t>(tensor->elements()));
  Widen(*tensor, std::span(values).subspan(old_size));
}

Tensor Loader::Table(std::string_view name, int64_t rows, int64_t cols) {
  std::vector<float> values;
  Append(name, {rows, cols}, values);
  return ok() ? backend_.MakeTable(values, rows, cols) : Tensor{};
}

Norm Loader::LayerNorm(std::string_view name, int64_t size, float epsilon) {
  std::vector<float> weight, bias;
  Append(fmt::format("{}.weight", name), {size}, weight);
  Append(fmt::format("{}.bias", name), {size}, bias);
  if (!ok()) return {};
  return {.params = {.weight = backend_.MakeVector(weight),
                     .bias = backend_.MakeVector(bias),
                     .epsilon = epsilon}};
}

Linear Loader::Dense(std::string_view name, int64_t out_features, int64_t in_features) {
  return FusedDense({std::string(name)}, out_features, in_features);
}

Linear Loader::FusedDense(const std::vector<std::string>& names, int64_t out_features,
                          int64_t in_features) {
  std::vector<float> weight, bias;
  for (const std::string& name : names) {
    Append(fmt::format("{}.weight", name), {out_features, in_features}, weight);
    Append(fmt::format("{}.bias", name), {out_features}, bias);
  }
  if (!ok()) return {};
  const int64_t rows = static_cast<int64_t>(names.size()) * out_features;
  return {.weight = backend_.MakeLinear(weight, bias, rows, in_features)};
}

absl::Status Loader::Finish() const { return ok() ? weights_.Finish() : status_; }

}  // namespace rose
