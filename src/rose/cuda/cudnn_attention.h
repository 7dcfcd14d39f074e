#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "common/status.h"
#include "rose/core/op_params.h"
#include "rose/core/tensor.h"
#include "rose/cuda/cudnn_graph.h"
#include "rose/cuda/cudnn_library.h"
#include "rose/cuda/memory.h"
#include "rose/kernels/attention.h"
#include "rose/kernels/launch.h"
#include "rose/kernels/ragged_offsets.h"

namespace rose::cuda {

/// Attention by cuDNN, and the plans that it has made: one for each kind of attention, count of
/// sequences and bound on the longest. All are kept, which is a few dozen, since bounds are rounded
/// and steps come in few counts. One thread.
class CudnnAttention {
 public:
  /// For steps of up to `largest`. The error is CudnnLibrary::Open's.
  static absl::StatusOr<std::unique_ptr<CudnnAttention>> Create(
      const kernels::AttentionShape& largest);

  /// Whether it computes this in steps of up to `largest`: it counts elements of qkv in 32 bits.
  static bool Supports(const AttentionParams& params, DType dtype,
                       const kernels::AttentionShape& largest);

  /// What a plan takes for the longest sequence of such a step: the next power of two, so that
  /// plans are few, of at least 128, the rows of a block. Where shape.longest is 0, that of all
  /// tokens.
  static int64_t LongestBound(const kernels::AttentionShape& shape);

  /// Forgets the offsets of the step before. In contrast to what AttentionShape says, no sequence
  /// may be longer than shape.longest if that is not 0.
  void BeginStep(const kernels::AttentionShape& shape);

  /// Queues attention of Ops and, for the first layer of a step, the kernel that finds its offsets.
  /// What is met for the first time takes memory and as long as CudnnGraph::Build says: a step runs
  /// once before it is captured. What is behind a sequence's last token, a neighbour's or
  /// padding's, must be finite, as for kFa3.
  absl::Status Run(const kernels::Launch& launch, const AttentionParams& params,
                   const int32_t* cu_seqlens, Tensor qkv, Tensor out);

 private:
  struct Plan {
    CudnnGraphKind kind;
    std::unique_ptr<CudnnGraph> graph;
    DeviceMemory workspace;
  };
  /// Where sequences begin in rows of so many columns.
  struct Offsets {
    int64_t qkv_cols = 0;
    int64_t out_cols = 0;
    DeviceMemory memory;
    bool found = false;  ///< In the running step.
  };

  CudnnAttention(std::unique_ptr<CudnnLibrary> library, int64_t sequences_max)
      : library_(std::move(library)), sequences_max_(sequences_max) {}
  absl::StatusOr<const Plan*> FindPlan(const AttentionParams& params);
  absl::StatusOr<Offsets*> FindOffsets(int64_t qkv_cols, int64_t out_cols);
  kernels::RaggedOffsets ArraysOf(const Offsets& offsets) const;

  std::unique_ptr<CudnnLibrary> library_;
  int64_t sequences_max_;
  kernels::AttentionShape shape_;  ///< Of the running step.
  std::deque<Plan> plans_;
  std::deque<Offsets> offsets_;
};

}  // namespace rose::cuda
