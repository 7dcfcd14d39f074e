#include "rose/cuda/cudnn_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace rose::cuda {
namespace {

/// What dlopen gave, and the name under which it did.
struct Opened {
  void* shared_object = nullptr;
  std::string name;
};

absl::StatusOr<Opened> OpenFirst(const std::vector<std::string>& names) {
  std::string tried;
  for (const std::string& name : names) {
    void* const opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened != nullptr) return Opened{opened, name};
    tried += fmt::format("\n  {}", dlerror());
  }
  return absl::NotFoundError(fmt::format("it needs cuDNN 9 and CUDA 13:{}", tried));
}

template <typename Function>
absl::Status BindSymbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) return absl::OkStatus();
  return absl::NotFoundError(fmt::format("libcudnn.so.9 has no {}", name));
}

}  // namespace

absl::StatusOr<std::unique_ptr<CudnnLibrary>> CudnnLibrary::Open(const Names& names) {
  std::unique_ptr<CudnnLibrary> library(new CudnnLibrary());
  ASSIGN_OR_RETURN(const Opened cudnn, OpenFirst(names.cudnn));
  ASSIGN_OR_RETURN(const Opened cudart, OpenFirst(names.cudart));
  // Left alone, the headers would take CUDA 12's, if there is one, and print a warning.
  setenv("CUDNN_FRONTEND_CUDART_LIB_NAME", cudart.name.c_str(), /*overwrite=*/0);
  library->shared_object_ = cudnn.shared_object;
  RETURN_IF_ERROR(library->Bind());
  const cudnnStatus_t status = library->create_(&library->handle_);
  if (status == CUDNN_STATUS_SUCCESS) return library;
  return absl::FailedPreconditionError(fmt::format(
      "cuDNN {} does not start: {}", library->version(), library->get_error_string_(status)));
}

absl::Status CudnnLibrary::Bind() {
  RETURN_IF_ERROR(BindSymbol(shared_object_, "cudnnCreate", create_));
  RETURN_IF_ERROR(BindSymbol(shared_object_, "cudnnDestroy", destroy_));
  RETURN_IF_ERROR(BindSymbol(shared_object_, "cudnnGetVersion", get_version_));
  RETURN_IF_ERROR(BindSymbol(shared_object_, "cudnnGetErrorString", get_error_string_));
  return BindSymbol(shared_object_, "cudnnSetStream", set_stream_);
}

CudnnLibrary::~CudnnLibrary() {
  if (handle_ != nullptr) destroy_(handle_);
}

absl::Status CudnnLibrary::ToStatus(cudnnStatus_t status, const char* what) const {
  if (status == CUDNN_STATUS_SUCCESS) return absl::OkStatus();
  return absl::InternalError(fmt::format("{}: {}", what, get_error_string_(status)));
}

absl::Status CudnnLibrary::SetStream(cudaStream_t stream) const {
  return ToStatus(set_stream_(handle_, stream), "cudnnSetStream");
}

}  // namespace rose::cuda
