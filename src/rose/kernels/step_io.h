#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "rose/core/tensor.h"
#include "rose/kernels/launch.h"

// How a step enters a GPU and leaves it. The host writes the step's input into pinned memory and
// launches; the first kernel fetches it from there, the last one writes the rows back and raises a
// flag. So a captured graph needs no parameter changed, and small steps pay no copy engine's
// latency.

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

  friend bool operator==(const StepHeader& a, const StepHeader& b) = default;
};

/// Where a step's arrays lie behind its header: offsets in bytes from the begin of the input, each
/// a multiple of 64.
struct StepLayout {
  int64_t cu_seqlens = 0;      ///< int32 [sequences + 1]
  int64_t prompt_lengths = 0;  ///< int32 [sequences]
  int64_t normalize = 0;       ///< uint8 [sequences]
  int64_t ids = 0;             ///< int32 [tokens]
  int64_t type_ids = 0;        ///< int32 [tokens]
  int64_t input_bytes = 0;     ///< Of the header and what is above.
  int64_t position_ids = 0;    ///< int32 [tokens]: on the device alone.
  int64_t bytes = 0;

  /// For steps that are padded to so many tokens and sequences.
  static StepLayout For(int64_t tokens, int64_t sequences);
};

/// Larger inputs are copied to the device ahead of the kernel that reads them: it gets 16 bytes of
/// each thread through the bus at once, but no more than some 3 GB/s.
constexpr int64_t kFetchedBytesMax = 16 << 10;

/// The inputs of steps: step n lies at n mod `places`. The device counts the steps itself, as the
/// host does.
struct StepInputs {
  const void* data = nullptr;  ///< [places × place_bytes], aligned to 64.
  int places = 0;
  int64_t place_bytes = 0;
  bool on_host = false;  ///< Pinned memory; else the device's. Up to kFetchedBytesMax an input.
};

/// What the kernels of the running step read, in device memory. Zeros before the first step.
struct StepState {
  StepHeader header;
  uint32_t steps = 0;           ///< That have been fetched.
  uint32_t blocks_arrived = 0;  ///< Of the running kernel's grid.
};

/// The running step's arrays in device memory, at the offsets that the layout says.
struct StepArrays {
  void* data = nullptr;
  StepLayout layout;
};

/// Fetches the next step, whose input is laid out for `tokens` tokens and `sequences` sequences,
/// and pads it to them: ids, positions and types of padding are 0, its sequences are empty.
/// Positions are counted from each sequence's first token. rows_used of `launch` is ignored.
cudaError_t FetchStep(const Launch& launch, const StepInputs& inputs, int64_t tokens,
                      int64_t sequences, const StepArrays& arrays, StepState* state);

/// Writes the first header.sequences rows of `rows` (float32) to header.rows and then raises
/// header.done: whoever sees the flag sees the rows.
cudaError_t PublishRows(const Launch& launch, Tensor rows, StepState* state);

}  // namespace rose::kernels
