#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "common/status.h"
#include "rose/core/op_params.h"
#include "rose/cuda/cudnn_library.h"

namespace rose::cuda {

/// One kind of ragged attention as cuDNN freezes it: bfloat16, packed queries, keys and values.
struct CudnnGraphKind {
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  float scale = 0;
  AttentionMask mask = AttentionMask::kFull;
  int64_t sequences = 0;  ///< Exactly; any of them may be empty.
  int64_t longest = 0;    ///< No sequence may have more tokens.

  friend bool operator==(const CudnnGraphKind&, const CudnnGraphKind&) = default;
};

/// A graph in cuDNN's sense, with the plan that it made of it: a call of it can be captured into a
/// graph in CUDA's sense. Lengths and offsets stand on the device and may differ from run to run.
class CudnnGraph {
 public:
  /// Device memory. Queries, keys, values and the output are those of the first token.
  struct Memory {
    const void* q = nullptr;
    const void* k = nullptr;
    const void* v = nullptr;
    void* out = nullptr;
    const int32_t* lengths = nullptr;      ///< [sequences]
    const int32_t* qkv_offsets = nullptr;  ///< [sequences + 1], in elements from q, k and v.
    const int32_t* out_offsets = nullptr;  ///< [sequences + 1], in elements from out.
    void* workspace = nullptr;             ///< workspace_bytes()
  };

  /// Takes 45 to 75 ms, the first of a process up to a second, and memory: not while capturing.
  /// FailedPrecondition: what this cuDNN says to it. `library` outlives the graph.
  static absl::StatusOr<std::unique_ptr<CudnnGraph>> Build(const CudnnLibrary& library,
                                                           const CudnnGraphKind& kind);
  ~CudnnGraph();
  CudnnGraph(const CudnnGraph&) = delete;
  CudnnGraph& operator=(const CudnnGraph&) = delete;

  int64_t workspace_bytes() const { return workspace_bytes_; }
  absl::Status Run(cudaStream_t stream, const Memory& memory) const;

 private:
  struct Plan;  ///< Of cuDNN's headers, which take long to compile.

  explicit CudnnGraph(const CudnnLibrary& library);

  const CudnnLibrary& library_;
  std::unique_ptr<Plan> plan_;
  int64_t workspace_bytes_ = 0;
};

}  // namespace rose::cuda
