#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/check.h"

namespace rose {

/// The unsigned number in the first `count` bytes, lowest first.
inline uint64_t ReadLittleEndian(std::span<const std::byte> bytes, std::size_t count) {
  DCHECK(count <= bytes.size() && count <= sizeof(uint64_t));
  uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

}  // namespace rose
