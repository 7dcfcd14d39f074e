#include "rose/cuda/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <charconv>

#include "rose/cuda/status.h"
#include "rose/kernels/probe.h"

namespace rose::cuda {
namespace {

std::string VersionName(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

absl::Status Unusable(int index, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("--device cuda:{}: {}", index, why));
}

absl::StatusOr<int> CountDevices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  const absl::Status status = ToStatus(error, "cudaGetDeviceCount");
  if (status.ok() && count > 0) return count;
  if (status.ok() || error == cudaErrorNoDevice) {
    return absl::InvalidArgumentError("there is no GPU");
  }
  if (error == cudaErrorInsufficientDriver) {
    return absl::InvalidArgumentError("there is no NVIDIA driver, or it is older than CUDA 13.0");
  }
  return absl::InvalidArgumentError(std::string(status.message()));
}

}  // namespace

std::string Device::flag() const { return fmt::format("cuda:{}", index); }

absl::StatusOr<int> ParseDevice(std::string_view flag) {
  constexpr std::string_view kName = "cuda", kNumbered = "cuda:";
  if (flag == kName) return 0;
  int index = 0;
  if (flag.substr(0, kNumbered.size()) == kNumbered) {
    const char* const end = flag.data() + flag.size();
    const auto [rest, error] = std::from_chars(flag.data() + kNumbered.size(), end, index);
    if (error == std::errc() && rest == end && index >= 0) return index;
  }
  return absl::InvalidArgumentError(
      fmt::format("--device: expected cuda or cuda:N, got \"{}\"", flag));
}

absl::Status UseDevice(int index) {
  return ToStatus(cudaSetDevice(index), fmt::format("--device cuda:{}", index));
}

absl::StatusOr<Device> OpenDevice(int index) {
  const absl::StatusOr<int> count = CountDevices();
  if (!count.ok()) return Unusable(index, std::string(count.status().message()));
  if (index >= *count) {
    return Unusable(index, fmt::format("expected a number below {}, the number of GPUs", *count));
  }
  RETURN_IF_ERROR(UseDevice(index));
  cudaDeviceProp properties;
  RETURN_IF_CUDA_ERROR(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0;
  RETURN_IF_CUDA_ERROR(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  RETURN_IF_CUDA_ERROR(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  if (const absl::Status probed = ToStatus(kernels::Probe(nullptr), "a first kernel");
      !probed.ok()) {
    return Unusable(
        index,
        fmt::format("this program cannot run on {} (compute capability {}.{}): {}", properties.name,
                    properties.major, properties.minor, std::string(probed.message())));
  }
  return Device{.index = index,
                .name = properties.name,
                .compute_capability = properties.major * 10 + properties.minor,
                .multiprocessors = properties.multiProcessorCount,
                .memory_bytes = static_cast<int64_t>(properties.totalGlobalMem),
                .driver_version = VersionName(driver),
                .runtime_version = VersionName(runtime)};
}

absl::StatusOr<Device> OpenFirstDevice() {
  ASSIGN_OR_RETURN(const int count, CountDevices());
  std::string unusable;
  for (int index = 0; index < count; ++index) {
    absl::StatusOr<Device> device = OpenDevice(index);
    if (device.ok()) return device;
    unusable +=
        fmt::format("{}{}", unusable.empty() ? "" : "\n  ", std::string(device.status().message()));
  }
  return absl::InvalidArgumentError(unusable);
}

}  // namespace rose::cuda
