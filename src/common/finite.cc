#include "common/finite.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace common {

const float* FindNonFinite(std::span<const float> values) {
  constexpr uint32_t kInfinityBits = 0x7f80'0000;
  // Floats without their sign order as their bits do, with infinity and then NaN on top, so the
  // largest tells without a branch in the loop.
  uint32_t largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::bit_cast<uint32_t>(value) & 0x7fff'ffff);
  }
  if (largest < kInfinityBits) return nullptr;
  return std::find_if(values.data(), values.data() + values.size(),
                      [](float value) { return !std::isfinite(value); });
}

}  // namespace common
