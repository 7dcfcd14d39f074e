#include "rose/runtime/backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "rose/runtime/cpu_engine.h"
#ifdef ROSE_CUDA
#include "rose/runtime/cuda/cuda_engine.h"
#endif

namespace rose {
namespace {

bool Always() { return true; }

absl::Status NothingToTune(const hub::ModelFolder&, const EngineOptions& options) {
  return absl::UnimplementedError(
      fmt::format("--device {}: nothing to tune on a CPU", options.device));
}

constexpr std::array kBackends = {
#ifdef ROSE_CUDA
    BackendKind{"cuda", HasUsableGpu, MakeCudaEngine, TuneCuda},
#endif
    BackendKind{"cpu", Always, MakeCpuEngine, NothingToTune},
};

}  // namespace

std::span<const BackendKind> Backends() { return kBackends; }

absl::StatusOr<const BackendKind*> FindBackend(std::string_view device) {
  if (device == "auto") {
    return &*std::find_if(kBackends.begin(), kBackends.end(),
                          [](const BackendKind& backend) { return backend.usable(); });
  }
  const std::string_view kind = device.substr(0, device.find(':'));
  std::string known = "auto";
  for (const BackendKind& backend : kBackends) {
    if (device == backend.name || (kind == "cuda" && kind == backend.name)) return &backend;
    known += fmt::format(" or {}", backend.name);
  }
  return absl::InvalidArgumentError(fmt::format("--device: expected {}, got \"{}\"{}", known,
                                                device,
                                                kind == "cuda" ? " (this build has no CUDA)" : ""));
}

}  // namespace rose
