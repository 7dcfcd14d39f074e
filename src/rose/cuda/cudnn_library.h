#pragma once

#include <cudnn.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/status.h"

namespace rose::cuda {

/// cuDNN, found at run time, and a handle of it for the current device: nothing is linked, and
/// nothing needs it but attention that is forced to it. Stays loaded until the process ends, since
/// graphs hold its kernels and the headers that build them its functions. One thread.
class CudnnLibrary {
 public:
  /// The shared libraries, each where the loader finds it or in the toolkit's usual folder.
  struct Names {
    std::vector<std::string> cudnn = {"libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9"};
    std::vector<std::string> cudart = {"libcudart.so.13", "/usr/local/cuda/lib64/libcudart.so.13"};
  };

  /// NotFound says what was looked for; FailedPrecondition, why cuDNN does not start here. Tells
  /// cuDNN's headers by an environment variable which CUDA runtime they are to open, so it is
  /// called before other threads read the environment.
  static absl::StatusOr<std::unique_ptr<CudnnLibrary>> Open(const Names& names);
  static absl::StatusOr<std::unique_ptr<CudnnLibrary>> Open() { return Open(Names()); }
  ~CudnnLibrary();
  CudnnLibrary(const CudnnLibrary&) = delete;
  CudnnLibrary& operator=(const CudnnLibrary&) = delete;

  void* shared_object() const { return shared_object_; }  ///< As dlopen gave it.
  cudnnHandle_t handle() const { return handle_; }
  std::size_t version() const { return get_version_(); }  ///< 91900 for 9.19.0.
  /// OK, or Internal with what cuDNN calls the status.
  absl::Status ToStatus(cudnnStatus_t status, const char* what) const;
  /// What runs on the handle from now on is queued there.
  absl::Status SetStream(cudaStream_t stream) const;

 private:
  CudnnLibrary() = default;
  absl::Status Bind();

  void* shared_object_ = nullptr;
  cudnnHandle_t handle_ = nullptr;
  decltype(&cudnnCreate) create_ = nullptr;
  decltype(&cudnnDestroy) destroy_ = nullptr;
  decltype(&cudnnGetVersion) get_version_ = nullptr;
  decltype(&cudnnGetErrorString) get_error_string_ = nullptr;
  decltype(&cudnnSetStream) set_stream_ = nullptr;
};

}  // namespace rose::cuda
