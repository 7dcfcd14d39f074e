#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace rose::kernels {

/// Where a kernel is queued and how much of its tensors counts. Every launcher of this folder
/// returns what queuing said, cudaSuccess as a rule; faults of the device show at the next wait.
/// Nothing here allocates or waits, and all of it can be captured into a graph. Tensors lie in
/// device memory; no rows are fine.
struct Launch {
  cudaStream_t stream = nullptr;
  /// Device memory, or null: how many of a tensor's rows hold tokens. The rows behind them are
  /// padding: nothing reads them for another row; what a launcher does with them it says.
  const int32_t* rows_used = nullptr;
  /// The kernel may start while the one before it still runs (programmatic dependent launch): it
  /// waits itself before it reads or writes what others do. Every block waits, also one that has
  /// nothing to do: waiting is for the kernel before alone, and that its end means the end of all
  /// before it, so that what they read may be written, holds only if it has waited too. Only what
  /// is written once, before the chain, may be read earlier: weights.
  bool overlap = false;
};

}  // namespace rose::kernels
