#pragma once

#include <cstdint>
#include <string_view>

#include "common/status.h"

namespace rose::cpu {

/// Instruction sets that kernels are written for; each includes those before it.
enum class Isa : uint8_t {
  kAvx2,        ///< AVX2, FMA, F16C.
  kAvx512,      ///< AVX-512 F, BW, DQ, VL.
  kAvx512Bf16,  ///< Products of bfloat16 pairs.
  kAmx,         ///< Tiles of bfloat16, which the operating system allows this process to use.
};

/// As --isa spells it.
const char* IsaName(Isa isa);

/// The best that this processor and operating system offer. FailedPrecondition below AVX2.
absl::StatusOr<Isa> DetectIsa();

/// What --isa (auto | avx2 | avx512 | avx512_bf16 | amx) means on a processor that has `processor`:
/// a cap. InvalidArgument names --isa, for an unknown word or a cap above what the processor has.
absl::StatusOr<Isa> ParseIsa(std::string_view flag, Isa processor);

/// Whether products of bfloat16 are faster than those of float32.
constexpr bool HasBFloat16(Isa isa) { return isa >= Isa::kAvx512Bf16; }

}  // namespace rose::cpu
