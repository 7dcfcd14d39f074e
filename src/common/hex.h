#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace common {

/// Two lower-case digits a byte.
std::string Hex(std::span<const uint8_t> bytes);

}  // namespace common
