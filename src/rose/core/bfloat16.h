#pragma once

#include <bit>
#include <cstdint>

namespace rose {

/// The upper half of a float: 8 bits of exponent, 7 of mantissa.
struct BFloat16 {
  uint16_t bits = 0;

  static constexpr BFloat16 FromFloat(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {  // NaN: keep it quiet, whatever rounding would carry.
      return {static_cast<uint16_t>((bits >> 16) | 0x40u)};
    }
    return {static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};  // To even.
  }
  constexpr float ToFloat() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

}  // namespace rose
