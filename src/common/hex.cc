#include "common/hex.h"

#include "absl/strings/escaping.h"

namespace common {

std::string Hex(std::span<const uint8_t> bytes) {
  return absl::BytesToHexString({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace common
