#include "rose/cuda/small_products.h"

#include <optional>
#include <utility>

#include "common/check.h"
#include "rose/cuda/status.h"

namespace rose::cuda {
namespace {

using kernels::SmallProductForm;
using kernels::SmallProductNorm;

/// Columns of the widest hidden state whose norm a product may take over.
constexpr int64_t kNormedColumnsMax = 8192;

/// Floats of one place of row sums.
constexpr int64_t kPlaceFloats = kernels::kSmallProductTokensMax *
                                 kernels::RowSumsCols(SmallProductNorm::kLayer, kNormedColumnsMax);

SmallProductNorm NormOf(const NormParams& norm) {
  if (norm.weight.data == nullptr) return SmallProductNorm::kNone;
  return norm.kind == NormKind::kRms ? SmallProductNorm::kRms : SmallProductNorm::kLayer;
}

Tensor Floats(std::byte* data, int64_t cols) {
  return {.data = data, .dtype = DType::kFloat32, .rows = 1, .cols = cols};
}

}  // namespace

absl::StatusOr<SmallProducts> SmallProducts::Create(bool enabled) {
  SmallProducts products;
  products.enabled_ = enabled;
  if (!enabled) return products;
  ASSIGN_OR_RETURN(products.row_sums_,
                   DeviceMemory::Allocate(2 * kPlaceFloats * int64_t{sizeof(float)}, "row sums"));
  return products;
}

Tensor SmallProducts::RowSums(int place, SmallProductNorm norm, int64_t rows, int64_t cols) const {
  DCHECK(rows <= kernels::kSmallProductTokensMax && cols <= kNormedColumnsMax);
  return {.data = row_sums_.as<float>() + place * kPlaceFloats,
          .dtype = DType::kFloat32,
          .rows = rows,
          .cols = kernels::RowSumsCols(norm, cols)};
}

absl::StatusOr<SmallProducts::Packed*> SmallProducts::Pack(const kernels::Launch& launch,
                                                           const CudaLinear& weight, bool gated) {
  if (const auto known = packed_.find(&weight); known != packed_.end()) return &known->second;
  const int64_t bytes = kernels::PackedBytes(weight.out_features, weight.in_features);
  Packed packed;
  ASSIGN_OR_RETURN(packed.image, DeviceMemory::Allocate(bytes, "packed weights"));
  // Later kernels read it before they wait for their predecessor: it must be there for good.
  RETURN_IF_CUDA_ERROR(kernels::PackSmallProduct({.stream = launch.stream}, weight.weight, gated,
                                                 packed.image.data()),
                       "packing a weight");
  RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(launch.stream), "packing a weight");
  memory_bytes_ += bytes;
  return &packed_.emplace(&weight, std::move(packed)).first->second;
}

absl::Status SmallProducts::Fold(const kernels::Launch& launch, const CudaLinear& weight,
                                 Packed& packed, kernels::SmallProductEpilogue& epilogue) {
  const int64_t row_bytes = (weight.out_features * int64_t{sizeof(float)} + 255) / 256 * 256;
  const bool is_new = packed.layer_norm.data() == nullptr;
  if (is_new) {
    ASSIGN_OR_RETURN(packed.layer_norm,
                     DeviceMemory::Allocate(2 * row_bytes, "a folded layer norm"));
    memory_bytes_ += 2 * row_bytes;
  }
  epilogue.weight_sums = Floats(packed.layer_norm.data(), weight.out_features);
  epilogue.bias = Floats(packed.layer_norm.data() + row_bytes, weight.out_features);
  if (!is_new) return absl::OkStatus();
  RETURN_IF_CUDA_ERROR(
      kernels::FoldLayerNorm({.stream = launch.stream}, epilogue.norm, weight.weight, weight.bias,
                             epilogue.weight_sums, epilogue.bias),
      "folding a layer norm");
  return ToStatus(cudaStreamSynchronize(launch.stream), "folding a layer norm");
}

absl::StatusOr<bool> SmallProducts::Run(const kernels::Launch& launch, const CudaLinear& weight,
                                        Tensor x, kernels::SmallProductEpilogue epilogue,
                                        Tensor out) {
  if (!enabled_ || x.rows == 0 || x.rows > kernels::kSmallProductTokensMax || x.rows % 16 != 0 ||
      weight.dtype != DType::kBFloat16) {
    return false;
  }
  const SmallProductNorm norm = NormOf(epilogue.norm);
  const std::optional<kernels::SmallProductPlan> plan =
      kernels::ChooseSmallProduct({.form = epilogue.form,
                                   .norm = norm,
                                   .tokens = x.rows,
                                   .out_features = weight.out_features,
                                   .in_features = weight.in_features});
  if (!plan) return false;
  ASSIGN_OR_RETURN(Packed * packed, Pack(launch, weight, epilogue.form == SmallProductForm::kGate));
  epilogue.bias = weight.bias;
  if (norm == SmallProductNorm::kLayer && epilogue.form != SmallProductForm::kResidual) {
    RETURN_IF_ERROR(Fold(launch, weight, *packed, epilogue));
  }
  RETURN_IF_CUDA_ERROR(kernels::SmallProduct(launch, *plan, packed->image.data(), x, epilogue, out),
                       "a small product");
  return true;
}

}  // namespace rose::cuda
