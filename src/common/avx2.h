#pragma once

namespace common {

/// Whether the processor, and the system, run AVX2 and the bit operations BMI and BMI2.
bool HasAvx2();

}  // namespace common
