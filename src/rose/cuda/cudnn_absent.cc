#include "rose/cuda/cudnn_graph.h"
#include "rose/cuda/cudnn_library.h"

// Stands for cudnn_library.cc and cudnn_graph.cc where the build found no header of cuDNN.

namespace rose::cuda {

struct CudnnLibrary::Functions {};
struct CudnnGraph::Plan {};

absl::StatusOr<std::unique_ptr<CudnnLibrary>> CudnnLibrary::Open(const Names& /*names*/) {
  return absl::NotFoundError("this program was built without cuDNN's headers");
}

CudnnLibrary::~CudnnLibrary() = default;

absl::StatusOr<std::unique_ptr<CudnnGraph>> CudnnGraph::Build(const CudnnLibrary& /*library*/,
                                                              const CudnnGraphKind& /*kind*/) {
  return absl::NotFoundError("this program was built without cuDNN's headers");
}

CudnnGraph::~CudnnGraph() = default;

absl::Status CudnnGraph::Run(cudaStream_t /*stream*/, const Memory& /*memory*/) const {
  return absl::NotFoundError("this program was built without cuDNN's headers");
}

}  // namespace rose::cuda
