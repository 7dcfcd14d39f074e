#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/status.h"
#include "rose/cuda/shared_library.h"

struct cudnnContext;  // What a cudnnHandle_t points to.

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
    std::vector<std::string> nvrtc = {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13"};
  };

  /// NotFound says what was looked for, or that this program was built without cuDNN's headers;
  /// FailedPrecondition, why cuDNN does not start here. Tells those headers by an environment
  /// variable which CUDA runtime they are to open, so it is called before other threads read the
  /// environment.
  static absl::StatusOr<std::unique_ptr<CudnnLibrary>> Open(const Names& names);
  static absl::StatusOr<std::unique_ptr<CudnnLibrary>> Open() { return Open(Names()); }
  ~CudnnLibrary();
  CudnnLibrary(const CudnnLibrary&) = delete;
  CudnnLibrary& operator=(const CudnnLibrary&) = delete;

  void* shared_object() const { return cudnn_.handle(); }  ///< As dlopen gave it.
  cudnnContext* handle() const { return handle_; }
  std::size_t version() const;  ///< 91900 for 9.19.0.
  /// What runs on the handle from now on is queued there.
  absl::Status SetStream(cudaStream_t stream) const;

 private:
  struct Functions;  ///< Of cuDNN's own header.

  CudnnLibrary();

  SharedLibrary cudnn_;
  std::unique_ptr<Functions> functions_;
  cudnnContext* handle_ = nullptr;
};

}  // namespace rose::cuda
