#pragma once

#include <cublasLt.h>

#include <memory>

#include "common/status.h"
#include "rose/cuda/shared_library.h"

namespace rose::cuda {

/// cuBLASLt, found at run time: a program that is never asked for a GPU needs none of it.
class CublasLtLibrary {
 public:
  /// Opens libcublasLt.so.13 where the loader finds it or in the toolkit's usual folder. NotFound
  /// says where it was looked for.
  static absl::StatusOr<std::unique_ptr<CublasLtLibrary>> Open();
  ~CublasLtLibrary();
  CublasLtLibrary(const CublasLtLibrary&) = delete;
  CublasLtLibrary& operator=(const CublasLtLibrary&) = delete;

  cublasLtHandle_t handle() const { return handle_; }
  size_t version() const { return get_version(); }  ///< 130100 for 13.1.0.

  // The entry points that are used, under the library's names without the prefix.
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtGetVersion) get_version = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) get_heuristic = nullptr;
  decltype(&cublasLtMatmulAlgoCheck) check = nullptr;
  decltype(&cublasLtMatmulDescInit_internal) init_desc = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) set_desc = nullptr;
  decltype(&cublasLtMatrixLayoutInit_internal) init_layout = nullptr;
  decltype(&cublasLtMatmulPreferenceInit_internal) init_preference = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference = nullptr;

 private:
  CublasLtLibrary() = default;
  absl::Status Bind();

  SharedLibrary library_;
  cublasLtHandle_t handle_ = nullptr;
};

}  // namespace rose::cuda
