#pragma once

#include <cstdio>
#include <vector>

#include "kernel_twins.h"
#include "rose/cpu/isa.h"
#include "rose/cpu/kernels_body.h"
#include "rose/cpu/vec_plain.h"

/// Those that this processor runs.
inline const std::vector<KernelTwins>& AllKernelTwins() {
  static constexpr rose::cpu::Kernels kLikeAvx2 =
      rose::cpu::MakeKernels<rose::cpu::Plain<8, 6>>(rose::cpu::Isa::kAvx2);
  static constexpr rose::cpu::Kernels kLikeAvx512 =
      rose::cpu::MakeKernels<rose::cpu::Plain<16, 12>>(rose::cpu::Isa::kAvx512);
  using rose::cpu::Isa;
  static const std::vector<KernelTwins> twins = [] {
    std::vector<KernelTwins> here;
    const auto isa = rose::cpu::DetectIsa();
    const auto add = [&](Isa needed, const rose::cpu::Kernels& vectors,
                         const rose::cpu::Kernels& loops) {
      if (isa.ok() && *isa >= needed) {
        here.push_back({vectors, loops});
      } else {
        std::fprintf(stderr, "skipped: this processor has no %s\n", rose::cpu::IsaName(needed));
      }
    };
    add(Isa::kAvx2, rose::cpu::Avx2Kernels(), kLikeAvx2);
    add(Isa::kAvx512, rose::cpu::Avx512Kernels(), kLikeAvx512);
    return here;
  }();
  return twins;
}
