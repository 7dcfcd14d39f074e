#include "rose/cuda/memory.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "rose/cuda/status.h"

namespace rose::cuda {
namespace {

constexpr double kMiB = 1 << 20;

}  // namespace

absl::StatusOr<DeviceMemory> DeviceMemory::Allocate(int64_t bytes, std::string_view purpose) {
  DeviceMemory memory;
  if (bytes == 0) return memory;
  void* data = nullptr;
  if (const cudaError_t error = cudaMalloc(&data, static_cast<std::size_t>(bytes));
      error != cudaSuccess) {
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    return ToStatus(error, fmt::format("{:.1f} MiB of device memory for {}, {:.1f} MiB are free",
                                       static_cast<double>(bytes) / kMiB, purpose,
                                       static_cast<double>(free) / kMiB));
  }
  memory.data_ = static_cast<std::byte*>(data);
  memory.bytes_ = bytes;
  return memory;
}

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) cudaFree(data_);
}

absl::StatusOr<PinnedMemory> PinnedMemory::Allocate(int64_t bytes, std::string_view purpose) {
  PinnedMemory memory;
  if (bytes == 0) return memory;
  void* data = nullptr;
  RETURN_IF_CUDA_ERROR(cudaHostAlloc(&data, static_cast<std::size_t>(bytes), cudaHostAllocMapped),
                       fmt::format("{:.1f} MiB of pinned host memory for {}",
                                   static_cast<double>(bytes) / kMiB, purpose));
  memory.data_ = static_cast<std::byte*>(data);
  memory.bytes_ = bytes;
  return memory;
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr) cudaFreeHost(data_);
}

}  // namespace rose::cuda
