#include "rose/runtime/backends.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "rose/runtime/cpu_engine.h"

namespace rose {
namespace {

constexpr std::array kBackends = {
    BackendKind{"cpu", MakeCpuEngine},
};

}  // namespace

std::span<const BackendKind> Backends() { return kBackends; }

absl::StatusOr<const BackendKind*> FindBackend(std::string_view device) {
  if (device == "auto") return &kBackends.front();
  std::string known = "auto";
  for (const BackendKind& backend : kBackends) {
    if (device == backend.name) return &backend;
    known += fmt::format(" or {}", backend.name);
  }
  const bool is_cuda = device == "cuda" || device.substr(0, 5) == "cuda:";
  return absl::InvalidArgumentError(fmt::format("--device: expected {}, got \"{}\"{}", known,
                                                device,
                                                is_cuda ? " (this build has no CUDA)" : ""));
}

}  // namespace rose
