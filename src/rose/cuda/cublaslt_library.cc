#include "rose/cuda/cublaslt_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <string>

namespace rose::cuda {
namespace {

constexpr std::array kPaths = {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13"};

template <typename Function>
absl::Status BindSymbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) return absl::OkStatus();
  return absl::NotFoundError(fmt::format("libcublasLt.so.13 has no {}", name));
}

}  // namespace

absl::StatusOr<std::unique_ptr<CublasLtLibrary>> CublasLtLibrary::Open() {
  std::unique_ptr<CublasLtLibrary> opened(new CublasLtLibrary());
  std::string tried;
  for (const char* path : kPaths) {
    opened->library_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (opened->library_ != nullptr) break;
    tried += fmt::format("\n  {}", dlerror());
  }
  if (opened->library_ == nullptr) {
    return absl::NotFoundError(fmt::format("a GPU needs cuBLASLt of CUDA 13:{}", tried));
  }
  RETURN_IF_ERROR(opened->Bind());
  if (const cublasStatus_t status = opened->create(&opened->handle_);
      status != CUBLAS_STATUS_SUCCESS) {
    return absl::InternalError(fmt::format("cublasLtCreate: status {}", static_cast<int>(status)));
  }
  return opened;
}

absl::Status CublasLtLibrary::Bind() {
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtCreate", create));
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtDestroy", destroy));
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtGetVersion", get_version));
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtMatmul", matmul));
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtMatmulAlgoGetHeuristic", get_heuristic));
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtMatmulAlgoCheck", check));
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtMatmulDescInit_internal", init_desc));
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtMatmulDescSetAttribute", set_desc));
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtMatrixLayoutInit_internal", init_layout));
  RETURN_IF_ERROR(BindSymbol(library_, "cublasLtMatmulPreferenceInit_internal", init_preference));
  return BindSymbol(library_, "cublasLtMatmulPreferenceSetAttribute", set_preference);
}

CublasLtLibrary::~CublasLtLibrary() {
  if (handle_ != nullptr) destroy(handle_);
  if (library_ != nullptr) dlclose(library_);
}

}  // namespace rose::cuda
