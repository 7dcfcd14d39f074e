#include "rose/cuda/cudnn_library.h"

#include <cudnn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace rose::cuda {
namespace {

absl::StatusOr<SharedLibrary> OpenFirst(const std::vector<std::string>& names) {
  absl::StatusOr<SharedLibrary> library = SharedLibrary::Open(names);
  if (library.ok()) return library;
  return absl::NotFoundError(
      fmt::format("it needs cuDNN 9 and CUDA 13:\n  {}", std::string(library.status().message())));
}

}  // namespace

/// Under the library's names without the prefix.
struct CudnnLibrary::Functions {
  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnDestroy) destroy = nullptr;
  decltype(&cudnnGetVersion) get_version = nullptr;
  decltype(&cudnnGetErrorString) get_error_string = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;

  absl::Status Bind(const SharedLibrary& library) {
    RETURN_IF_ERROR(library.Bind("cudnnCreate", create));
    RETURN_IF_ERROR(library.Bind("cudnnDestroy", destroy));
    RETURN_IF_ERROR(library.Bind("cudnnGetVersion", get_version));
    RETURN_IF_ERROR(library.Bind("cudnnGetErrorString", get_error_string));
    return library.Bind("cudnnSetStream", set_stream);
  }
};

CudnnLibrary::CudnnLibrary() : functions_(std::make_unique<Functions>()) {}

absl::StatusOr<std::unique_ptr<CudnnLibrary>> CudnnLibrary::Open(const Names& names) {
  std::unique_ptr<CudnnLibrary> library(new CudnnLibrary());
  ASSIGN_OR_RETURN(library->cudnn_, OpenFirst(names.cudnn));
  ASSIGN_OR_RETURN(const SharedLibrary cudart, OpenFirst(names.cudart));
  Functions& functions = *library->functions_;
  RETURN_IF_ERROR(functions.Bind(library->cudnn_));
  // cuDNN asks for it by its bare name alone, which finds what is open; some plans do without.
  OpenFirst(names.nvrtc).status().IgnoreError();
  // Left alone, the headers would take CUDA 12's, if there is one, and print a warning.
  setenv("CUDNN_FRONTEND_CUDART_LIB_NAME", cudart.name().c_str(), /*overwrite=*/0);
  const cudnnStatus_t status = functions.create(&library->handle_);
  if (status == CUDNN_STATUS_SUCCESS) return library;
  return absl::FailedPreconditionError(fmt::format(
      "cuDNN {} does not start: {}", library->version(), functions.get_error_string(status)));
}

CudnnLibrary::~CudnnLibrary() {
  if (handle_ != nullptr) functions_->destroy(handle_);
}

std::size_t CudnnLibrary::version() const { return functions_->get_version(); }

absl::Status CudnnLibrary::SetStream(cudaStream_t stream) const {
  const cudnnStatus_t status = functions_->set_stream(handle_, stream);
  if (status == CUDNN_STATUS_SUCCESS) return absl::OkStatus();
  return absl::InternalError(
      fmt::format("cudnnSetStream: {}", functions_->get_error_string(status)));
}

}  // namespace rose::cuda
