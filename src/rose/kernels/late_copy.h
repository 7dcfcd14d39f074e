#pragma once

#include <cstdint>

#include "rose/kernels/launch.h"

namespace rose::kernels {

/// A predecessor for tests of overlap: lets its successor start at once, and copies `words` of 32
/// bits tens of microseconds later. Whoever does not wait for it reads what was there before.
cudaError_t LateCopy(const Launch& launch, const void* from, void* to, int64_t words);

}  // namespace rose::kernels
