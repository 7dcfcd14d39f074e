#include "rose/cuda/library_products.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "common/check.h"

namespace rose::cuda {
namespace {

/// What NVIDIA recommends for Hopper.
constexpr int64_t kWorkspaceBytes = int64_t{32} << 20;
/// The library has offered eight at most, whatever was asked for.
constexpr int kCandidatesMax = 16;
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

/// What cuBLASLt wants to be told of a product. It counts columns first: our row-major [n × m] is
/// its m × n, so that out = x Wᵀ reads outᵀ = W xᵀ there.
struct LibraryProducts::Descriptors {
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatrixLayoutOpaque_t weight;
  cublasLtMatrixLayoutOpaque_t x;
  cublasLtMatrixLayoutOpaque_t out;

  absl::Status Fill(const CublasLtLibrary& library, const ProductShape& shape, const void* bias) {
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
    const CublasLtLibrary& library, ProductChoices choices) {
  ASSIGN_OR_RETURN(DeviceMemory workspace,
                   DeviceMemory::Allocate(kWorkspaceBytes, "cuBLASLt's workspace"));
  return std::unique_ptr<LibraryProducts>(
      new LibraryProducts(library, std::move(workspace), std::move(choices)));
}

LibraryProducts::LibraryProducts(const CublasLtLibrary& library, DeviceMemory workspace,
                                 ProductChoices choices)
    : library_(library), workspace_(std::move(workspace)), choices_(std::move(choices)) {}

absl::StatusOr<std::vector<cublasLtMatmulAlgo_t>> LibraryProducts::Offered(
    const ProductShape& shape, Descriptors& descriptors) const {
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
  std::array<cublasLtMatmulHeuristicResult_t, kCandidatesMax> results;
  int found = 0;
  const cublasStatus_t status = library_.get_heuristic(
      library_.handle(), &descriptors.product, &descriptors.weight, &descriptors.x,
      &descriptors.out, &descriptors.out, &preference, kCandidatesMax, results.data(), &found);
  std::vector<cublasLtMatmulAlgo_t> offered;
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return offered;
  RETURN_IF_ERROR(ToStatus(status, "cublasLtMatmulAlgoGetHeuristic"));
  for (int i = 0; i < found; ++i) {
    const cublasLtMatmulHeuristicResult_t& result = results[static_cast<std::size_t>(i)];
    if (result.state == CUBLAS_STATUS_SUCCESS) offered.push_back(result.algo);
  }
  return offered;
}

bool LibraryProducts::Fits(const cublasLtMatmulAlgo_t& kernel, Descriptors& descriptors) const {
  cublasLtMatmulHeuristicResult_t result;
  return library_.check(library_.handle(), &descriptors.product, &descriptors.weight,
                        &descriptors.x, &descriptors.out, &descriptors.out, &kernel,
                        &result) == CUBLAS_STATUS_SUCCESS &&
         static_cast<int64_t>(result.workspaceSize) <= workspace_.bytes();
}

absl::StatusOr<LibraryProducts::Kernels> LibraryProducts::Pick(const ProductShape& shape,
                                                               Descriptors& descriptors) {
  Kernels kernels;
  ASSIGN_OR_RETURN(kernels.offered, Offered(shape, descriptors));
  if (kernels.offered.empty()) return kernels;
  kernels.used = kernels.offered.front();
  const std::optional<ProductChoices::Choice> choice = choices_.Find(shape);
  if (!choice) return kernels;
  ProductShape measured = choice->shape;
  measured.alignment = shape.alignment;
  Descriptors descriptors_measured;
  RETURN_IF_ERROR(descriptors_measured.Fill(library_, measured, /*bias=*/nullptr));
  ASSIGN_OR_RETURN(const auto offered, Offered(measured, descriptors_measured));
  const auto candidate = static_cast<std::size_t>(choice->candidate);
  if (candidate < offered.size() && Fits(offered[candidate], descriptors)) {
    kernels.used = offered[candidate];
  }
  return kernels;
}

int LibraryProducts::Candidates(const ProductShape& shape) const {
  const auto known = kernels_.find(shape);
  return known == kernels_.end() ? 0 : static_cast<int>(known->second.offered.size());
}

void LibraryProducts::Use(const ProductShape& shape, int candidate) {
  Kernels& kernels = kernels_.at(shape);
  kernels.used = kernels.offered.at(static_cast<std::size_t>(candidate));
}

absl::StatusOr<bool> LibraryProducts::Run(const Stream& stream, const CudaLinear& weight, Tensor x,
                                          ProductTerms terms, Tensor out) {
  if (x.rows == 0) return true;
  DCHECK(x.cols == weight.in_features && out.cols == weight.out_features && x.rows == out.rows);
  DCHECK(x.dtype == weight.dtype && out.dtype == weight.dtype);
  const ProductShape shape{.rows = x.rows,
                           .out_features = weight.out_features,
                           .in_features = weight.in_features,
                           .dtype = weight.dtype,
                           .terms = terms,
                           .alignment = Alignment({weight.weight.data, x.data, out.data})};
  Descriptors descriptors;
  RETURN_IF_ERROR(descriptors.Fill(library_, shape, weight.bias.data));
  auto known = kernels_.find(shape);
  if (known == kernels_.end()) {
    ASSIGN_OR_RETURN(Kernels picked, Pick(shape, descriptors));
    known = kernels_.emplace(shape, std::move(picked)).first;
    seen_.push_back(shape);
  }
  if (known->second.offered.empty()) return false;
  const float alpha = 1, beta = terms.previous ? 1 : 0;
  RETURN_IF_ERROR(
      ToStatus(library_.matmul(library_.handle(), &descriptors.product, &alpha, weight.weight.data,
                               &descriptors.weight, x.data, &descriptors.x, &beta, out.data,
                               &descriptors.out, out.data, &descriptors.out, &known->second.used,
                               workspace_.data(), static_cast<std::size_t>(workspace_.bytes()),
                               stream.get()),
               fmt::format("cublasLtMatmul of {} × {} × {}", shape.rows, shape.out_features,
                           shape.in_features)));
  return true;
}

}  // namespace rose::cuda
