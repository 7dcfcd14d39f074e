#include "rose/cuda/cublaslt_library.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace rose::cuda {
namespace {

const std::array<std::string, 2> kNames = {"libcublasLt.so.13",
                                           "/usr/local/cuda/lib64/libcublasLt.so.13"};

}  // namespace

absl::StatusOr<std::unique_ptr<CublasLtLibrary>> CublasLtLibrary::Open() {
  std::unique_ptr<CublasLtLibrary> opened(new CublasLtLibrary());
  absl::StatusOr<SharedLibrary> library = SharedLibrary::Open(kNames);
  if (!library.ok()) {
    return absl::NotFoundError(fmt::format("a GPU needs cuBLASLt of CUDA 13:\n  {}",
                                           std::string(library.status().message())));
  }
  opened->library_ = *std::move(library);
  RETURN_IF_ERROR(opened->Bind());
  if (const cublasStatus_t status = opened->create(&opened->handle_);
      status != CUBLAS_STATUS_SUCCESS) {
    return absl::InternalError(fmt::format("cublasLtCreate: status {}", static_cast<int>(status)));
  }
  return opened;
}

absl::Status CublasLtLibrary::Bind() {
  RETURN_IF_ERROR(library_.Bind("cublasLtCreate", create));
  RETURN_IF_ERROR(library_.Bind("cublasLtDestroy", destroy));
  RETURN_IF_ERROR(library_.Bind("cublasLtGetVersion", get_version));
  RETURN_IF_ERROR(library_.Bind("cublasLtMatmul", matmul));
  RETURN_IF_ERROR(library_.Bind("cublasLtMatmulAlgoGetHeuristic", get_heuristic));
  RETURN_IF_ERROR(library_.Bind("cublasLtMatmulAlgoCheck", check));
  RETURN_IF_ERROR(library_.Bind("cublasLtMatmulDescInit_internal", init_desc));
  RETURN_IF_ERROR(library_.Bind("cublasLtMatmulDescSetAttribute", set_desc));
  RETURN_IF_ERROR(library_.Bind("cublasLtMatrixLayoutInit_internal", init_layout));
  RETURN_IF_ERROR(library_.Bind("cublasLtMatmulPreferenceInit_internal", init_preference));
  return library_.Bind("cublasLtMatmulPreferenceSetAttribute", set_preference);
}

CublasLtLibrary::~CublasLtLibrary() {
  if (handle_ != nullptr) destroy(handle_);
}

}  // namespace rose::cuda
