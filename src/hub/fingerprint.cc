#include "hub/fingerprint.h"

#include <fmt/format.h>

#include <cstdint>

namespace hub {
namespace {

// http://www.isthe.com/chongo/tech/comp/fnv/: offset basis and prime for 64 bits.
constexpr uint64_t kBasis = 0xcbf29ce484222325;
constexpr uint64_t kPrime = 0x100000001b3;

uint64_t Mix(uint64_t hash, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * kPrime;
  return hash;
}

}  // namespace

std::string Fingerprint(const std::vector<std::string_view>& parts) {
  uint64_t hash = kBasis;
  for (std::string_view part : parts) hash = Mix(Mix(hash, fmt::format("{}:", part.size())), part);
  return fmt::format("{:016x}", hash);
}

}  // namespace hub
