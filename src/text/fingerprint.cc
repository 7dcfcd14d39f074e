#include "text/fingerprint.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

// SipHash: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012; the 128-bit variant is
// that of their reference implementation. The key is 00 01 … 0f, as in its test vectors.

namespace text {
namespace {

class SipHash {
 public:
  void Absorb(uint64_t word) {
    v3_ ^= word;
    Rounds(2);
    v0_ ^= word;
  }

  std::string Finish() {
    v2_ ^= 0xEE;
    Rounds(4);
    const uint64_t first = v0_ ^ v1_ ^ v2_ ^ v3_;
    v1_ ^= 0xDD;
    Rounds(4);
    const uint64_t second = v0_ ^ v1_ ^ v2_ ^ v3_;
    return fmt::format("{:016x}{:016x}", first, second);
  }

 private:
  void Rounds(int count) {
    for (int i = 0; i < count; ++i) {
      v0_ += v1_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v0_ = std::rotl(v0_, 32);
      v2_ += v3_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ += v3_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ += v1_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  static constexpr uint64_t kKey0 = 0x0706050403020100, kKey1 = 0x0F0E0D0C0B0A0908;

  uint64_t v0_ = 0x736F6D6570736575 ^ kKey0;
  uint64_t v1_ = 0x646F72616E646F6D ^ kKey1 ^ 0xEE;
  uint64_t v2_ = 0x6C7967656E657261 ^ kKey0;
  uint64_t v3_ = 0x7465646279746573 ^ kKey1;
};

}  // namespace

std::string Fingerprint(std::string_view bytes) {
  SipHash hash;
  uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * (i % 8);
    if (i % 8 == 7) {
      hash.Absorb(word);
      word = 0;
    }
  }
  hash.Absorb(word | uint64_t{bytes.size() & 0xFF} << 56);
  return hash.Finish();
}

}  // namespace text
