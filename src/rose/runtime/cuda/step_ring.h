#pragma once

#include <cstdint>

#include "common/status.h"
#include "rose/core/batch.h"
#include "rose/core/model_input.h"
#include "rose/cuda/memory.h"
#include "rose/kernels/step_io.h"
#include "rose/runtime/cuda/step_bucket.h"

namespace rose {

/// The way of a step's input from the host to the device: pinned places taken in turn, and the
/// arrays in device memory that the first kernel of a step fills from them. The engine thread.
class StepRing {
 public:
  static constexpr int kPlaces = 4;

  /// For steps of up to so many tokens and sequences, padding included.
  static absl::StatusOr<StepRing> Create(int64_t tokens_max, int64_t sequences_max);

  /// Writes the next step's input. At most `kPlaces` − 1 steps may still be unfetched.
  void Write(const Batch& batch, const kernels::StepHeader& header);

  /// Counts a step whose input is that of kPlaces steps ago, which still stands in its place.
  void Repeat() { ++steps_; }

  /// Queues the kernel that fetches the step which was written last (or, in a graph, whichever is
  /// the next).
  cudaError_t Fetch(const kernels::Launch& launch, const StepBucket& bucket) const;
  /// The same arrays as a model reads them.
  ModelInput Input(const StepBucket& bucket) const;

  const int32_t* tokens_used() const { return &state()->header.tokens; }
  kernels::StepState* state() const { return state_.as<kernels::StepState>(); }

 private:
  kernels::StepLayout layout_;
  cuda::PinnedMemory places_;
  cuda::DeviceMemory arrays_;
  cuda::DeviceMemory state_;
  uint32_t steps_ = 0;
};

}  // namespace rose
