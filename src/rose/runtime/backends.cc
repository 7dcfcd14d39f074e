#include "rose/runtime/backends.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <string>

#include "rose/runtime/cpu_engine.h"
#ifdef ROSE_CUDA
#include "rose/runtime/cuda/cuda_engine.h"
#endif

namespace rose {
namespace {

absl::Status Always() { return absl::OkStatus(); }

bool HasCuda();

absl::Status NothingToTune(const hub::ModelFolder&, const EngineOptions& options) {
  return absl::UnimplementedError(fmt::format("--device {}: nothing to tune on a CPU{}",
                                              options.device,
                                              HasCuda() ? "" : "; this build has no CUDA"));
}

constexpr std::array kBackends = {
#ifdef ROSE_CUDA
    BackendKind{"cuda", FindUsableGpu, MakeCudaEngine, TuneCuda},
#endif
    BackendKind{"cpu", Always, MakeCpuEngine, NothingToTune},
};

bool HasCuda() { return kBackends.front().name == "cuda"; }

const BackendKind* FirstUsable() {
  const BackendKind* backend = kBackends.data();
  for (absl::Status usable = backend->usable(); !usable.ok(); usable = backend->usable()) {
    spdlog::warn("--device auto cannot take {}: {}", backend->name, std::string(usable.message()));
    ++backend;  // The last is always usable.
  }
  return backend;
}

}  // namespace

std::span<const BackendKind> Backends() { return kBackends; }

absl::StatusOr<const BackendKind*> FindBackend(std::string_view device) {
  if (device == "auto") return FirstUsable();
  const std::string_view kind = device.substr(0, device.find(':'));
  std::string known = "auto";
  for (const BackendKind& backend : kBackends) {
    const bool numbered = backend.name == "cuda";
    if (device == backend.name || (numbered && kind == backend.name)) return &backend;
    known += fmt::format(" or {}{}", backend.name, numbered ? ":N" : "");
  }
  return absl::InvalidArgumentError(fmt::format("--device: expected {}, got \"{}\"{}", known,
                                                device,
                                                kind == "cuda" ? " (this build has no CUDA)" : ""));
}

}  // namespace rose
