#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "rose/core/tensor.h"

namespace bench {

/// NVIDIA's matrix products, found when the program runs.
class CublasLt {
 public:
  /// Null where there is no libcublasLt.so.13, or it cannot begin.
  static std::unique_ptr<CublasLt> Open();

  decltype(&cublasLtCreate) Create = nullptr;
  decltype(&cublasLtMatmul) Matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) DescCreate = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) DescSetAttribute = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) LayoutCreate = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) PreferenceCreate = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) PreferenceSetAttribute = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) GetHeuristic = nullptr;

  cublasLtHandle_t handle = nullptr;
  void* workspace = nullptr;  ///< In device memory.
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
};

struct LibraryEpilogue {
  const void* bias = nullptr;  ///< Or null.
  bool gelu = false;           ///< The tanh form: the only one that the library has.
  bool adds_out = false;       ///< What stands in `out`: a residual.
};

/// out = epilogue(x Wᵀ) of one shape, bfloat16, with the candidates that the library proposes. What
/// it holds lives as long as the program.
class LibraryProduct {
 public:
  LibraryProduct(const CublasLt& library, int64_t out_features, int64_t in_features, int64_t tokens,
                 const LibraryEpilogue& epilogue);

  int candidates() const { return static_cast<int>(found_.size()); }
  bool Run(int candidate, const void* weight, const void* x, void* out, cudaStream_t stream) const;

 private:
  const CublasLt& library_;
  bool adds_out_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t weight_ = nullptr, x_ = nullptr, out_ = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> found_;
};

}  // namespace bench
