#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "common/status.h"
#include "rose/cuda/stream.h"

namespace rose::cuda {

/// Work that was queued once and can be launched again and again with one call.
class Graph {
 public:
  Graph() = default;
  /// Records what `work` queues on `stream`, without running it; what other threads do with CUDA
  /// meanwhile does not matter (thread-local capture). `work` may not wait or allocate on the
  /// device, and has run once before, so that libraries have loaded what they need. Fails as `work`
  /// does; then, as ever, nothing has run.
  static absl::StatusOr<Graph> Capture(const Stream& stream,
                                       const std::function<absl::Status()>& work);
  ~Graph();
  Graph(Graph&& other) noexcept { *this = std::move(other); }
  Graph& operator=(Graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    std::swap(nodes_, other.nodes_);
    return *this;
  }

  cudaError_t Launch(const Stream& stream) const { return cudaGraphLaunch(graph_, stream.get()); }
  int64_t nodes() const { return nodes_; }
  /// Device memory that the graph takes. Drivers do not tell: about 3 KB a node was measured on
  /// driver 580.
  int64_t memory_bytes() const { return nodes_ * 3 * 1024; }

 private:
  cudaGraphExec_t graph_ = nullptr;
  int64_t nodes_ = 0;
};

}  // namespace rose::cuda
