#include "bench/kernels/cublaslt_product.h"

#include <array>
#include <string>

#include "rose/cuda/shared_library.h"

namespace bench {

std::unique_ptr<CublasLt> CublasLt::Open() {
  const std::array<std::string, 2> names = {"libcublasLt.so.13",
                                            "/usr/local/cuda/lib64/libcublasLt.so.13"};
  const auto file = rose::cuda::SharedLibrary::Open(names);
  if (!file.ok()) return nullptr;
  auto library = std::make_unique<CublasLt>();
  CublasLt& its = *library;
  const auto finds = [&](const char* name, auto& function) {
    return file->Bind(name, function).ok();
  };
  const bool found = finds("cublasLtCreate", its.Create) && finds("cublasLtMatmul", its.Matmul) &&
                     finds("cublasLtMatmulDescCreate", its.DescCreate) &&
                     finds("cublasLtMatmulDescSetAttribute", its.DescSetAttribute) &&
                     finds("cublasLtMatrixLayoutCreate", its.LayoutCreate) &&
                     finds("cublasLtMatmulPreferenceCreate", its.PreferenceCreate) &&
                     finds("cublasLtMatmulPreferenceSetAttribute", its.PreferenceSetAttribute) &&
                     finds("cublasLtMatmulAlgoGetHeuristic", its.GetHeuristic);
  if (!found || its.Create(&its.handle) != CUBLAS_STATUS_SUCCESS ||
      cudaMalloc(&its.workspace, kWorkspaceBytes) != cudaSuccess) {
    return nullptr;
  }
  return library;
}

LibraryProduct::LibraryProduct(const CublasLt& library, int64_t out_features, int64_t in_features,
                               int64_t tokens, const LibraryEpilogue& epilogue)
    : library_(library), adds_out_(epilogue.adds_out) {
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    library.DescSetAttribute(operation_, attribute, &value, sizeof value);
  };
  library.DescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  if (epilogue.bias != nullptr) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE,
        epilogue.gelu ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_BIAS);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, epilogue.bias);
  }
  const auto n = static_cast<uint64_t>(out_features), k = static_cast<uint64_t>(in_features),
             m = static_cast<uint64_t>(tokens);
  library.LayoutCreate(&weight_, CUDA_R_16BF, k, n, in_features);
  library.LayoutCreate(&x_, CUDA_R_16BF, k, m, in_features);
  library.LayoutCreate(&out_, CUDA_R_16BF, n, m, out_features);
  cublasLtMatmulPreference_t preference = nullptr;
  library.PreferenceCreate(&preference);
  library.PreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                 &CublasLt::kWorkspaceBytes, sizeof CublasLt::kWorkspaceBytes);
  constexpr int kWanted = 16;
  cublasLtMatmulHeuristicResult_t results[kWanted];
  int count = 0;
  library.GetHeuristic(library.handle, operation_, weight_, x_, out_, out_, preference, kWanted,
                       results, &count);
  for (int i = 0; i < count; ++i) {
    if (results[i].state == CUBLAS_STATUS_SUCCESS) found_.push_back(results[i]);
  }
}

bool LibraryProduct::Run(int candidate, const void* weight, const void* x, void* out,
                         cudaStream_t stream) const {
  const float alpha = 1, beta = adds_out_ ? 1 : 0;
  return library_.Matmul(library_.handle, operation_, &alpha, weight, weight_, x, x_, &beta, out,
                         out_, out, out_, &found_[candidate].algo, library_.workspace,
                         CublasLt::kWorkspaceBytes, stream) == CUBLAS_STATUS_SUCCESS;
}

}  // namespace bench
