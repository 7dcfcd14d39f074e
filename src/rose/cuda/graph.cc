#include "rose/cuda/graph.h"

#include <cstddef>

#include "rose/cuda/status.h"

namespace rose::cuda {
namespace {

/// Owns a captured graph until it is instantiated.
struct Recording {
  cudaGraph_t graph = nullptr;
  ~Recording() {
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
};

}  // namespace

absl::StatusOr<Graph> Graph::Capture(const Stream& stream,
                                     const std::function<absl::Status()>& work) {
  RETURN_IF_CUDA_ERROR(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
                       "beginning a CUDA graph");
  const absl::Status queued = work();
  Recording recording;
  const cudaError_t ended = cudaStreamEndCapture(stream.get(), &recording.graph);
  RETURN_IF_ERROR(queued);  // The cause, where both failed.
  RETURN_IF_CUDA_ERROR(ended, "capturing a CUDA graph");
  Graph graph;
  std::size_t nodes = 0;
  RETURN_IF_CUDA_ERROR(cudaGraphGetNodes(recording.graph, nullptr, &nodes), "cudaGraphGetNodes");
  graph.nodes_ = static_cast<int64_t>(nodes);
  RETURN_IF_CUDA_ERROR(cudaGraphInstantiate(&graph.graph_, recording.graph, 0),
                       "instantiating a CUDA graph");
  RETURN_IF_CUDA_ERROR(cudaGraphUpload(graph.graph_, stream.get()), "uploading a CUDA graph");
  return graph;
}

Graph::~Graph() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
}

}  // namespace rose::cuda
