#pragma once

#include <cstdio>

#include "rose/cpu/isa.h"

/// Whether this processor has `needed`; what it lacks is said on the error stream.
inline bool ProcessorHas(rose::cpu::Isa needed) {
  const auto isa = rose::cpu::DetectIsa();
  if (isa.ok() && *isa >= needed) return true;
  std::fprintf(stderr, "skipped: this processor has no %s\n", rose::cpu::IsaName(needed));
  return false;
}
