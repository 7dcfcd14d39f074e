#include "rose/cuda/library_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/check.h"

namespace rose::cuda {
namespace {

/// What NVIDIA recommends for Hopper.
constexpr int64_t kWorkspaceBytes = int64_t{32} << 20;
/// The most that cuBLASLt asks of a pointer.
constexpr uintptr_t kAlignmentMax = 256;

absl::Status ToStatus(cublasStatus_t status, std::string_view what) {
  if (status == CUBLAS_STATUS_SUCCESS) return absl::OkStatus();
  return absl::InternalError(fmt::format("{}: status {}", what, static_cast<int>(status)));
}

cudaDataType ElementType(DType dtype) {
  CHECK(dtype == DType::kFloat32 || dtype == DType::kBFloat16) << DTypeName(dtype);
  return dtype == DType::kBFloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

uint32_t Alignment(std::initializer_list<const void*> pointers) {
  uintptr_t bits = kAlignmentMax;
  for (const void* pointer : pointers) bits |= reinterpret_cast<uintptr_t>(pointer);
  return static_cast<uint32_t>(bits & -bits);
}

}  // namespace

std::size_t LibraryProducts::ShapeHash::operator()(const Shape& shape) const {
  std::size_t hash = shape.alignment;
  for (const int64_t value :
       {shape.rows, shape.out_features, shape.in_features, static_cast<int64_t>(shape.dtype),
        int64_t{shape.terms.bias}, int64_t{shape.terms.previous}}) {
    hash =
        (hash ^ static_cast<std::size_t>(value)) * 0x9E3779B97F4A7C15u;  // 2⁶⁴ / the golden ratio
  }
  return hash;
}

/// What cuBLASLt wants to be told of a product. It counts columns first: our row-major [n × m] is
/// its m × n, so that out = x Wᵀ reads outᵀ = W xᵀ there.
struct LibraryProducts::Descriptors {
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatrixLayoutOpaque_t weight;
  cublasLtMatrixLayoutOpaque_t x;
  cublasLtMatrixLayoutOpaque_t out;

  absl::Status Fill(const CublasLtLibrary& library, const Shape& shape, const void* bias) {
    const cudaDataType type = ElementType(shape.dtype);
    RETURN_IF_ERROR(ToStatus(
        library.init_desc(&product, sizeof product, CUBLAS_COMPUTE_32F, CUDA_R_32F), "init"));
    const cublasOperation_t transpose = CUBLAS_OP_T;
    RETURN_IF_ERROR(Set(library, CUBLASLT_MATMUL_DESC_TRANSA, transpose));
    if (shape.terms.bias) {
      const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
      RETURN_IF_ERROR(Set(library, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue));
      RETURN_IF_ERROR(Set(library, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias));
    }
    const auto rows = static_cast<uint64_t>(shape.rows);
    const auto in = static_cast<uint64_t>(shape.in_features);
    const auto out_features = static_cast<uint64_t>(shape.out_features);
    RETURN_IF_ERROR(Layout(library, weight, type, in, out_features));
    RETURN_IF_ERROR(Layout(library, x, type, in, rows));
    return Layout(library, out, type, out_features, rows);
  }

 private:
  template <typename T>
  absl::Status Set(const CublasLtLibrary& library, cublasLtMatmulDescAttributes_t attribute,
                   const T& value) {
    return ToStatus(library.set_desc(&product, attribute, &value, sizeof value), "set");
  }
  static absl::Status Layout(const CublasLtLibrary& library, cublasLtMatrixLayoutOpaque_t& layout,
                             cudaDataType type, uint64_t rows, uint64_t cols) {
    return ToStatus(
        library.init_layout(&layout, sizeof layout, type, rows, cols, static_cast<int64_t>(rows)),
        "layout");
  }
};

absl::StatusOr<std::unique_ptr<LibraryProducts>> LibraryProducts::Create(
    const CublasLtLibrary& library) {
  ASSIGN_OR_RETURN(DeviceMemory workspace,
                   DeviceMemory::Allocate(kWorkspaceBytes, "cuBLASLt's workspace"));
  return std::unique_ptr<LibraryProducts>(new LibraryProducts(library, std::move(workspace)));
}

LibraryProducts::LibraryProducts(const CublasLtLibrary& library, DeviceMemory workspace)
    : library_(library), workspace_(std::move(workspace)) {}

absl::StatusOr<LibraryProducts::Algorithm> LibraryProducts::Pick(const Shape& shape,
                                                                 Descriptors& descriptors) {
  cublasLtMatmulPreferenceOpaque_t preference;
  RETURN_IF_ERROR(ToStatus(library_.init_preference(&preference, sizeof preference), "preference"));
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    return ToStatus(library_.set_preference(&preference, attribute, &value, sizeof value), "set");
  };
  const auto workspace = static_cast<std::size_t>(workspace_.bytes());
  RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace));
  for (const auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    RETURN_IF_ERROR(set(attribute, shape.alignment));
  }
  cublasLtMatmulHeuristicResult_t best;
  int found = 0;
  const cublasStatus_t status = library_.get_heuristic(
      library_.handle(), &descriptors.product, &descriptors.weight, &descriptors.x,
      &descriptors.out, &descriptors.out, &preference, 1, &best, &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && found == 0)) {
    return Algorithm();
  }
  RETURN_IF_ERROR(ToStatus(status, "cublasLtMatmulAlgoGetHeuristic"));
  return Algorithm(best.algo);
}

absl::StatusOr<bool> LibraryProducts::Run(const Stream& stream, const CudaLinear& weight, Tensor x,
                                          ProductTerms terms, Tensor out) {
  if (x.rows == 0) return true;
  DCHECK(x.cols == weight.in_features && out.cols == weight.out_features && x.rows == out.rows);
  DCHECK(x.dtype == weight.dtype && out.dtype == weight.dtype);
  const Shape shape{.rows = x.rows,
                    .out_features = weight.out_features,
                    .in_features = weight.in_features,
                    .dtype = weight.dtype,
                    .terms = terms,
                    .alignment = Alignment({weight.weight.data, x.data, out.data})};
  Descriptors descriptors;
  RETURN_IF_ERROR(descriptors.Fill(library_, shape, weight.bias.data));
  auto known = algorithms_.find(shape);
  if (known == algorithms_.end()) {
    ASSIGN_OR_RETURN(const Algorithm picked, Pick(shape, descriptors));
    known = algorithms_.emplace(shape, picked).first;
  }
  if (!known->second) return false;
  const float alpha = 1, beta = terms.previous ? 1 : 0;
  RETURN_IF_ERROR(
      ToStatus(library_.matmul(library_.handle(), &descriptors.product, &alpha, weight.weight.data,
                               &descriptors.weight, x.data, &descriptors.x, &beta, out.data,
                               &descriptors.out, out.data, &descriptors.out, &*known->second,
                               workspace_.data(), static_cast<std::size_t>(workspace_.bytes()),
                               stream.get()),
               fmt::format("cublasLtMatmul of {} × {} × {}", shape.rows, shape.out_features,
                           shape.in_features)));
  return true;
}

}  // namespace rose::cuda
