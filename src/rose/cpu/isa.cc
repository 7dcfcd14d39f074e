#include "rose/cpu/isa.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fmt/format.h"

namespace rose::cpu {
namespace {

constexpr Isa kAll[] = {Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16, Isa::kAmx};

/// Linux saves the tiles (8 KiB a thread) only for processes that asked for them
/// (Documentation/x86/xstate.rst).
bool RequestAmx() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

/// Leaf 7 read by hand: clang 14's __builtin_cpu_supports has no name for AMX.
bool ProcessorHasAmx() {
  constexpr unsigned kBFloat16 = 1u << 22;
  constexpr unsigned kTile = 1u << 24;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kBFloat16) != 0 &&
         (edx & kTile) != 0;
}

bool Has(Isa isa) {
  switch (isa) {
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case Isa::kAvx512Bf16:
      return __builtin_cpu_supports("avx512bf16");
    case Isa::kAmx:
      return ProcessorHasAmx() && RequestAmx();
  }
  return false;
}

}  // namespace

const char* IsaName(Isa isa) {
  switch (isa) {
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kAvx512Bf16:
      return "avx512_bf16";
    case Isa::kAmx:
      return "amx";
  }
  return "unknown";
}

absl::StatusOr<Isa> DetectIsa() {
  if (!Has(Isa::kAvx2)) {
    return absl::FailedPreconditionError("this processor lacks AVX2 and FMA, which are needed");
  }
  Isa best = Isa::kAvx2;
  for (const Isa isa : kAll) {
    if (!Has(isa)) break;
    best = isa;
  }
  return best;
}

absl::StatusOr<Isa> ParseIsa(std::string_view flag, Isa processor) {
  if (flag == "auto") return processor;
  for (const Isa isa : kAll) {
    if (flag != IsaName(isa)) continue;
    if (isa <= processor) return isa;
    return absl::InvalidArgumentError(
        fmt::format("--isa {}: this processor has no more than {}", flag, IsaName(processor)));
  }
  return absl::InvalidArgumentError(
      fmt::format("--isa {}: expected auto, avx2, avx512, avx512_bf16 or amx", flag));
}

}  // namespace rose::cpu
