#include "rose/cuda/small_products.h"

#include <spdlog/spdlog.h>

#include <optional>
#include <string>
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

/// Whether FoldLayerNorm makes the same of both.
bool FoldsAlike(const NormParams& a, const NormParams& b) {
  return a.weight.data == b.weight.data && a.bias.data == b.bias.data;
}

int64_t FoldedRowBytes(const CudaLinear& weight) {
  return (weight.out_features * int64_t{sizeof(float)} + 255) / 256 * 256;
}

/// FoldLayerNorm's weight_sums, 0, or folded_bias, 1.
Tensor FoldedRow(const DeviceMemory& rows, const CudaLinear& weight, int row) {
  return {.data = rows.data() + row * FoldedRowBytes(weight),
          .dtype = DType::kFloat32,
          .rows = 1,
          .cols = weight.out_features};
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

bool SmallProducts::EndsPacking(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return false;
  packs_ = false;
  spdlog::warn("small steps are slower than they could be: {}", std::string(status.message()));
  return true;
}

absl::StatusOr<SmallProducts::Packed> SmallProducts::NewPacked(const kernels::Launch& launch,
                                                               const CudaLinear& weight,
                                                               bool gated) {
  const int64_t bytes = kernels::PackedBytes(weight.out_features, weight.in_features);
  Packed packed;
  ASSIGN_OR_RETURN(packed.image, DeviceMemory::Allocate(bytes, "packed weights"));
  // Later kernels read it before they wait for their predecessor: it must be there for good.
  RETURN_IF_CUDA_ERROR(kernels::PackSmallProduct({.stream = launch.stream}, weight.weight, gated,
                                                 packed.image.data()),
                       "packing a weight");
  RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(launch.stream), "packing a weight");
  memory_bytes_ += bytes;
  return packed;
}

absl::StatusOr<SmallProducts::Packed*> SmallProducts::Pack(const kernels::Launch& launch,
                                                           const CudaLinear& weight, bool gated) {
  const Key key{.weight = &weight, .gated = gated};
  if (const auto known = packed_.find(key); known != packed_.end()) return &known->second;
  if (!packs_) return nullptr;
  absl::StatusOr<Packed> packed = NewPacked(launch, weight, gated);
  if (packed.ok()) return &packed_.emplace(key, *std::move(packed)).first->second;
  if (EndsPacking(packed.status())) return nullptr;
  return std::move(packed).status();
}

absl::Status SmallProducts::FoldNew(const kernels::Launch& launch, const CudaLinear& weight,
                                    Packed& packed, const NormParams& norm) {
  const int64_t bytes = 2 * FoldedRowBytes(weight);
  ASSIGN_OR_RETURN(DeviceMemory rows, DeviceMemory::Allocate(bytes, "a folded layer norm"));
  RETURN_IF_CUDA_ERROR(
      kernels::FoldLayerNorm({.stream = launch.stream}, norm, weight.weight, weight.bias,
                             FoldedRow(rows, weight, 0), FoldedRow(rows, weight, 1)),
      "folding a layer norm");
  RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(launch.stream), "folding a layer norm");
  memory_bytes_ += bytes;
  packed.layer_norm = std::move(rows);
  packed.folded = norm;
  return absl::OkStatus();
}

absl::StatusOr<bool> SmallProducts::Fold(const kernels::Launch& launch, const CudaLinear& weight,
                                         Packed& packed, kernels::SmallProductEpilogue& epilogue) {
  if (!packed.folded) {
    if (!packs_) return false;
    const absl::Status status = FoldNew(launch, weight, packed, epilogue.norm);
    if (EndsPacking(status)) return false;
    RETURN_IF_ERROR(status);
  }
  if (!FoldsAlike(*packed.folded, epilogue.norm)) return false;
  epilogue.weight_sums = FoldedRow(packed.layer_norm, weight, 0);
  epilogue.bias = FoldedRow(packed.layer_norm, weight, 1);
  return true;
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
  if (packed == nullptr) return false;
  epilogue.bias = weight.bias;
  if (norm == SmallProductNorm::kLayer && epilogue.form != SmallProductForm::kResidual) {
    ASSIGN_OR_RETURN(const bool folded, Fold(launch, weight, *packed, epilogue));
    if (!folded) return false;
  }
  RETURN_IF_CUDA_ERROR(kernels::SmallProduct(launch, *plan, packed->image.data(), x, epilogue, out),
                       "a small product");
  return true;
}

}  // namespace rose::cuda
