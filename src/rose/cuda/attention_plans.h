#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "common/status.h"
#include "rose/core/op_params.h"
#include "rose/cuda/device.h"
#include "rose/cuda/fa4_library.h"
#include "rose/cuda/memory.h"
#include "rose/kernels/attention.h"
#include "rose/kernels/short_attention.h"

namespace rose::cuda {

/// How attention is computed: by one of the kernels in the program, or by the plug-in.
enum class AttentionMethod : uint8_t { kSimple, kFa2, kFa3, kFa4, kShort };

/// What --attention says: auto is nothing. InvalidArgument names the flag and the methods.
absl::StatusOr<std::optional<AttentionMethod>> ParseAttention(std::string_view name);

/// How each kind of attention of a model is computed in the running step. Layers with the same
/// parameters share the plan that the first of them makes on the device. One thread.
class AttentionPlans {
 public:
  struct Options {
    Device device;
    kernels::AttentionShape largest;             ///< Workspaces are made for it.
    std::optional<AttentionMethod> forced = {};  ///< Nothing: the fastest.
  };

  /// Looks for the plug-in, too. InvalidArgument: it is forced and cannot be used.
  static absl::StatusOr<std::unique_ptr<AttentionPlans>> Create(const Options& options);

  /// Forgets the plans of the step before.
  void BeginStep(const kernels::AttentionShape& shape);

  /// Whether the kernel for few tokens is to compute this, which norms and turns heads itself.
  bool TakesHeads(const AttentionParams& params, const kernels::HeadNormRopeParams& heads,
                  DType dtype) const;
  /// Queues that kernel.
  absl::Status RunShort(const kernels::Launch& launch, const AttentionParams& params,
                        const kernels::HeadNormRopeParams& heads, const int32_t* cu_seqlens,
                        Tensor qkv, Tensor out) const;

  /// Queues attention and, where it is the first of its kind in the step, its plan. A kind that is
  /// met for the first time takes its workspace, which happens while the engine warms up.
  /// InvalidArgument: the forced method cannot compute it.
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
  /// The plug-in's tiles for the step if it is to compute this.
  std::optional<kernels::Fa4Tile> ChooseFa4(const AttentionParams& params, DType dtype) const;
  absl::StatusOr<kernels::AttentionBackend> ChooseBackend(const AttentionParams& params,
                                                          DType dtype) const;
  absl::Status RunPlanned(const kernels::Launch& launch, const AttentionParams& params,
                          const int32_t* cu_seqlens, Tensor qkv, Tensor out);
  absl::StatusOr<Plan*> Find(const AttentionParams& params, kernels::AttentionBackend backend);

  const Options options_;
  std::unique_ptr<Fa4Library> fa4_;  ///< Null: it is not there.
  kernels::AttentionShape shape_;    ///< Of the running step.
  std::deque<Plan> plans_;
};

}  // namespace rose::cuda
