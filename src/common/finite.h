#pragma once

#include <span>

namespace common {

/// The first value that is infinite or not a number; null if all are finite. One pass that
/// compilers vectorise where all are.
const float* FindNonFinite(std::span<const float> values);

}  // namespace common
