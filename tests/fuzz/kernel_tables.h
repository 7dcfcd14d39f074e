#pragma once

#include <vector>

#include "kernel_twins.h"
#include "processor.h"
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
    if (ProcessorHas(Isa::kAvx2)) here.push_back({rose::cpu::Avx2Kernels(), kLikeAvx2});
    if (ProcessorHas(Isa::kAvx512)) here.push_back({rose::cpu::Avx512Kernels(), kLikeAvx512});
    return here;
  }();
  return twins;
}
