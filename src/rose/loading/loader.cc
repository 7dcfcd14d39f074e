#include "rose/loading/loader.h"

#include <fmt/format.h>

#include <utility>

#include "common/check.h"

namespace rose {
namespace {

/// The tensor `tensor` of the layer `layer`.
std::string NameOf(std::string_view layer, std::string_view tensor) {
  return layer.empty() ? std::string(tensor) : fmt::format("{}.{}", layer, tensor);
}

}  // namespace

std::optional<HostTensor> Loader::Take(std::string_view name, std::initializer_list<int64_t> shape,
                                       Reading reading) {
  if (!ok()) return std::nullopt;
  const std::span<const int64_t> extents(shape.begin(), shape.size());
  absl::StatusOr<HostTensor> tensor =
      reading == Reading::kTied ? weights_.GetTied(name, extents) : weights_.Get(name, extents);
  if (tensor.ok()) return *std::move(tensor);
  status_ = std::move(tensor).status();
  return std::nullopt;
}

void Loader::AppendVector(std::string_view name, int64_t size, std::vector<float>& values) {
  const std::vector<float> vector = ReadValues(Take(name, {size}), 0, 1, size);
  values.insert(values.end(), vector.begin(), vector.end());
}

std::vector<float> Loader::Values(std::string_view name, int64_t rows, int64_t cols) {
  return ReadValues(Take(name, {rows, cols}), 0, rows, cols);
}

std::vector<float> Loader::TiedRow(std::string_view name, int64_t row, int64_t rows, int64_t cols) {
  CHECK(row >= 0 && row < rows) << name;
  return ReadValues(Take(name, {rows, cols}, Reading::kTied), row, 1, cols);
}

void Loader::CheckFinite(const TensorRows& rows) {
  if (!ok() || rows.non_finite().empty()) return;
  status_ = absl::InvalidArgumentError(
      fmt::format("{}: expected finite values, found infinity or NaN", rows.non_finite()));
}

std::vector<float> Loader::ReadValues(std::optional<HostTensor> tensor, int64_t first, int64_t rows,
                                      int64_t cols) {
  if (!tensor) return {};
  TensorRows source(cols);
  source.Append(*std::move(tensor), first, rows);
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  source.Read(0, rows, values.data());
  CheckFinite(source);
  progress_.Add(source.tensors(), source.bytes());
  return values;
}

Tensor Loader::Table(std::string_view name, int64_t rows, int64_t cols, int64_t first_row) {
  CHECK(first_row >= 0 && first_row <= rows) << name;
  std::optional<HostTensor> tensor = Take(name, {rows, cols});
  if (!tensor) return {};
  TensorRows table(cols);
  table.Append(*std::move(tensor), first_row, rows - first_row);
  const Tensor made = backend_.MakeTable(table, backend_.dtype());
  progress_.Add(table.tensors(), table.bytes());
  return made;
}

Norm Loader::MakeNorm(NormKind kind, std::string_view name, int64_t size, float epsilon,
                      Bias bias) {
  std::vector<float> weight, biases;
  AppendVector(NameOf(name, "weight"), size, weight);
  if (bias == Bias::kYes) AppendVector(NameOf(name, "bias"), size, biases);
  if (!ok()) return {};
  return {.params = {.kind = kind,
                     .weight = backend_.MakeVector(weight),
                     .bias = bias == Bias::kYes ? backend_.MakeVector(biases) : Tensor{},
                     .epsilon = epsilon}};
}

Norm Loader::LayerNorm(std::string_view name, int64_t size, float epsilon) {
  return MakeNorm(NormKind::kLayer, name, size, epsilon, Bias::kYes);
}

Norm Loader::LayerNormNoBias(std::string_view name, int64_t size, float epsilon) {
  return MakeNorm(NormKind::kLayer, name, size, epsilon, Bias::kNo);
}

Norm Loader::RmsNorm(std::string_view name, int64_t size, float epsilon) {
  return MakeNorm(NormKind::kRms, name, size, epsilon, Bias::kNo);
}

Linear Loader::MakeLinear(const TensorRows& weight, std::span<const float> bias,
                          DTypeChoice dtype) {
  const LinearWeight* linear = backend_.MakeLinear(weight, bias, dtype.value_or(backend_.dtype()));
  progress_.Add(weight.tensors(), weight.bytes());
  CheckFinite(weight);
  return {.weight = linear};
}

Linear Loader::Dense(std::string_view name, int64_t out_features, int64_t in_features,
                     DTypeChoice dtype) {
  return Fused({{std::string(name), out_features}}, in_features, Bias::kYes, dtype);
}

Linear Loader::DenseNoBias(std::string_view name, int64_t out_features, int64_t in_features,
                           DTypeChoice dtype) {
  return Fused({{std::string(name), out_features}}, in_features, Bias::kNo, dtype);
}

Linear Loader::Fused(const std::vector<FusedPart>& parts, int64_t in_features, Bias bias,
                     DTypeChoice dtype) {
  TensorRows weight(in_features);
  std::vector<float> biases;
  for (const auto& [name, out_features] : parts) {
    std::optional<HostTensor> tensor = Take(NameOf(name, "weight"), {out_features, in_features});
    if (tensor) weight.Append(*std::move(tensor), 0, out_features);
    if (bias == Bias::kYes) AppendVector(NameOf(name, "bias"), out_features, biases);
  }
  return ok() ? MakeLinear(weight, biases, dtype) : Linear{};
}

Linear Loader::Tied(std::string_view weight_name, std::string_view bias_name, int64_t out_features,
                    int64_t in_features, DTypeChoice dtype) {
  TensorRows weight(in_features);
  std::vector<float> biases;
  std::optional<HostTensor> tensor = Take(weight_name, {out_features, in_features}, Reading::kTied);
  if (tensor) weight.Append(*std::move(tensor), 0, out_features);
  if (!bias_name.empty()) AppendVector(bias_name, out_features, biases);
  return ok() ? MakeLinear(weight, biases, dtype) : Linear{};
}

absl::Status Loader::Finish() const {
  RETURN_IF_ERROR(status_);
  progress_.Finish();
  return weights_.Finish();
}

}  // namespace rose
