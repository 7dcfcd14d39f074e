#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

// How a step enters a GPU and leaves it. The host writes the step's input into pinned memory and
// launches; the first kernel fetches it from there, the last one writes the rows back and raises a
// flag. So a captured graph needs no parameter changed, and no copy engine's latency is paid.

namespace rose::kernels {

/// The first bytes of one step's input in pinned memory.
struct StepHeader {
  int32_t tokens = 0;
  int32_t sequences = 0;
  int32_t has_types = 0;     ///< Else all type ids are 0 and what lies there is not read.
  int32_t has_prompts = 0;   ///< The same of prompt lengths.
  float* rows = nullptr;     ///< Pinned: where PublishRows writes.
  uint32_t* done = nullptr;  ///< Pinned: what PublishRows raises …
  uint32_t done_value = 0;   ///< … to this.
};

/// Where a step's arrays lie behind its header: offsets in bytes from the begin of the input, each
/// a multiple of 64.
struct StepLayout {
  int64_t tokens_max = 0;
  int64_t sequences_max = 0;
  int64_t ids = 0;             ///< int32 [tokens]
  int64_t position_ids = 0;    ///< int32 [tokens]
  int64_t type_ids = 0;        ///< int32 [tokens]
  int64_t cu_seqlens = 0;      ///< int32 [sequences + 1]
  int64_t prompt_lengths = 0;  ///< int32 [sequences]
  int64_t normalize = 0;       ///< uint8 [sequences]
  int64_t bytes = 0;

  /// For steps of up to so many tokens and sequences.
  static StepLayout For(int64_t tokens_max, int64_t sequences_max);
};

/// The inputs of several steps one behind the other: step n lies at n mod `inputs`. The device
/// counts the steps itself, as the host does.
struct StepRing {
  const void* data = nullptr;  ///< Pinned, [inputs × layout.bytes].
  int inputs = 0;
  StepLayout layout;
};

/// What the kernels of the running step read, in device memory. Zeros before the first step.
struct StepState {
  StepHeader header;
  uint32_t steps = 0;           ///< That have been fetched.
  uint32_t blocks_arrived = 0;  ///< Of PublishRows' grid.
};

/// The running step's arrays in device memory, at the offsets that the layout says.
struct StepArrays {
  void* data = nullptr;
  StepLayout layout;
};

/// Fetches the next step of the ring, padded to `tokens` tokens and `sequences` sequences: ids,
/// positions and types of padding are 0, its sequences are empty. rows_used of `launch` is ignored.
cudaError_t FetchStep(const Launch& launch, const StepRing& ring, int64_t tokens, int64_t sequences,
                      const StepArrays& arrays, StepState* state);

/// Writes the first header.sequences rows of `rows` (float32) to header.rows and then raises
/// header.done: whoever sees the flag sees the rows.
cudaError_t PublishRows(const Launch& launch, Tensor rows, StepState* state);

}  // namespace rose::kernels
