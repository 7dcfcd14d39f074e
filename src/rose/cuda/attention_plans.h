#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "common/status.h"
#include "rose/core/attention_method.h"
#include "rose/core/op_params.h"
#include "rose/cuda/cudnn_attention.h"
#include "rose/cuda/device.h"
#include "rose/cuda/fa4_library.h"
#include "rose/cuda/memory.h"
#include "rose/kernels/attention.h"
#include "rose/kernels/short_attention.h"

namespace rose::cuda {

/// How each kind of attention of a model is computed in the running step. Layers with the same
/// parameters share the plan that the first of them makes on the device. One thread.
class AttentionPlans {
 public:
  struct Options {
    Device device;
    kernels::AttentionShape largest;             ///< Workspaces are made for it.
    std::optional<AttentionMethod> forced = {};  ///< Nothing: the fastest, and never kCudnn.
  };

  /// Looks for the plug-in, and for cuDNN if it is forced. InvalidArgument: what is forced cannot
  /// be used, and why.
  static absl::StatusOr<std::unique_ptr<AttentionPlans>> Create(const Options& options);

  /// Forgets the plans of the step before. No sequence is longer than shape.longest.
  void BeginStep(const kernels::AttentionShape& shape);

  /// Whether the kernel for few tokens is to compute this, which norms and turns heads itself.
  bool TakesHeads(const AttentionParams& params, const HeadNormRopeParams& heads,
                  DType dtype) const;
  /// Queues that kernel.
  absl::Status RunShort(const kernels::Launch& launch, const AttentionParams& params,
                        const HeadNormRopeParams& heads, const int32_t* cu_seqlens, Tensor qkv,
                        Tensor out) const;

  /// Queues attention and, where it is the first of its kind in the step, its plan. A kind that is
  /// met for the first time takes its workspace, which happens while the engine warms up; cuDNN
  /// does so for each shape, so that a shape runs once before it is captured. InvalidArgument: the
  /// forced method cannot compute it. Unimplemented: the keys are in pages.
  absl::Status Run(const kernels::Launch& launch, const AttentionParams& params,
                   const int32_t* cu_seqlens, Tensor qkv, Tensor out);

 private:
  struct Plan {
    AttentionParams params;
    kernels::AttentionBackend backend;
    DeviceMemory workspace;
    bool planned = false;  ///< In the running step.
  };

  explicit AttentionPlans(const Options& options) : options_(options) {}
  absl::Status OpenFa4();
  /// The plug-in's tiles for the step if it is to compute this.
  std::optional<kernels::Fa4Tile> ChooseFa4(const AttentionParams& params, DType dtype) const;
  absl::StatusOr<kernels::AttentionBackend> ChooseBackend(const AttentionParams& params,
                                                          DType dtype) const;
  absl::Status RunPlanned(const kernels::Launch& launch, const AttentionParams& params,
                          const int32_t* cu_seqlens, Tensor qkv, Tensor out);
  absl::StatusOr<Plan*> Find(const AttentionParams& params, kernels::AttentionBackend backend);

  const Options options_;
  std::unique_ptr<Fa4Library> fa4_;        ///< Null: it is not there.
  std::unique_ptr<CudnnAttention> cudnn_;  ///< Null: it is not forced.
  kernels::AttentionShape shape_;          ///< Of the running step.
  std::deque<Plan> plans_;
};

}  // namespace rose::cuda
