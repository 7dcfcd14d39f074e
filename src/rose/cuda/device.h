#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/status.h"

namespace rose::cuda {

/// A GPU that this program can run on.
struct Device {
  int index = 0;
  std::string name = {};       ///< "NVIDIA H200"
  int compute_capability = 0;  ///< 90 for 9.0.
  int multiprocessors = 0;
  int64_t memory_bytes = 0;
  std::string driver_version = {};   ///< The CUDA version that the driver supports: "13.0".
  std::string runtime_version = {};  ///< That of the runtime in this program.

  /// "cuda:0"
  std::string flag() const;
  /// Whether a kernel may start before the one in front of it has ended: compiled for 9.0 it waits
  /// itself, from the PTX for other devices it does not.
  bool overlaps_kernels() const { return compute_capability == 90; }
};

/// Makes the device current for the calling thread and describes it. InvalidArgument names
/// --device, what is wrong with it (no driver, no such device, too old a device) and what there is.
absl::StatusOr<Device> OpenDevice(int index);

/// OpenDevice of the first that can be used. InvalidArgument says what is wrong with each.
absl::StatusOr<Device> OpenFirstDevice();

/// The N of "cuda:N"; "cuda" is 0. InvalidArgument if it reads otherwise.
absl::StatusOr<int> ParseDevice(std::string_view flag);

/// Makes the device current for the calling thread: each thread that calls CUDA does so first.
absl::Status UseDevice(int index);

}  // namespace rose::cuda
