#pragma once

#include <cstddef>
#include <cstdint>

#include "common/status.h"
#include "rose/core/batch.h"
#include "rose/core/model_input.h"
#include "rose/cuda/memory.h"
#include "rose/cuda/stream.h"
#include "rose/kernels/step_io.h"
#include "rose/runtime/cuda/step_bucket.h"

namespace rose {

/// The way of a step's input from the host to the device: pinned places taken in turn, from which
/// the first kernel of a step fills the arrays in device memory. A larger input is copied to the
/// device first. The engine thread.
class StepRing {
 public:
  static constexpr int kPlaces = 4;

  /// For steps of up to so many tokens and sequences, padding included.
  static absl::StatusOr<StepRing> Create(int64_t tokens_max, int64_t sequences_max);

  /// Writes the next step's input and, if it is large, queues its copy. At most `kPlaces` − 1 steps
  /// may still be unfetched.
  cudaError_t Write(const cuda::Stream& stream, const Batch& batch, const StepBucket& bucket,
                    const kernels::StepHeader& header);

  /// Counts a step whose input is that of kPlaces steps ago, which still stands in its place, and
  /// of the step before.
  void Repeat() { ++steps_; }

  /// Queues the kernel that fetches the step which was written last (or, in a graph, whichever is
  /// the next).
  cudaError_t Fetch(const kernels::Launch& launch, const StepBucket& bucket) const;
  /// The same arrays as a model reads them.
  ModelInput Input(const StepBucket& bucket) const;

  const int32_t* tokens_used() const { return &state()->header.tokens; }
  kernels::StepState* state() const { return state_.as<kernels::StepState>(); }

 private:
  kernels::StepLayout layout_;  ///< Of the arrays.
  cuda::PinnedMemory places_;
  cuda::DeviceMemory copied_;  ///< A large input.
  cuda::DeviceMemory arrays_;
  cuda::DeviceMemory state_;
  uint32_t steps_ = 0;
};

}  // namespace rose
