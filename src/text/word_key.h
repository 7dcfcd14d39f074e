#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace text {

/// A short word as machine words, zero behind its end, and their hash: what WordTable and WordCache
/// compare. Made without a branch on the length, which no processor can predict.
struct WordKey {
  static constexpr std::size_t kParts = 5;
  static constexpr std::size_t kBytesMax = kParts * sizeof(uint64_t);

  std::array<uint64_t, kParts> parts;
  uint64_t hash;
  uint32_t size;

  /// `word` has at most kBytesMax bytes, and kBytesMax bytes can be read where it begins.
  static WordKey Of(std::string_view word);
};

namespace word_key_internal {

/// Bytes 0xFF up to the middle and 0x00 from there: read n before the middle, they keep n bytes.
constexpr auto kMask = [] {
  std::array<unsigned char, 2 * WordKey::kBytesMax> mask{};
  for (std::size_t i = 0; i < WordKey::kBytesMax; ++i) mask[i] = 0xFF;
  return mask;
}();

/// Odd numbers with bits well mixed: hexadecimal digits of pi.
constexpr std::array<uint64_t, WordKey::kParts> kFactors = {0x243F6A8885A308D3, 0x13198A2E03707345,
                                                            0xA4093822299F31D1, 0x082EFA98EC4E6C89,
                                                            0x452821E638D01377};

}  // namespace word_key_internal

inline WordKey WordKey::Of(std::string_view word) {
  using word_key_internal::kFactors;
  WordKey key;
  const unsigned char* mask = word_key_internal::kMask.data() + kBytesMax - word.size();
  key.hash = 0;
  for (std::size_t i = 0; i < kParts; ++i) {
    uint64_t bytes, kept;
    std::memcpy(&bytes, word.data() + i * sizeof(bytes), sizeof(bytes));
    std::memcpy(&kept, mask + i * sizeof(kept), sizeof(kept));
    key.parts[i] = bytes & kept;
    key.hash += key.parts[i] * kFactors[i];
  }
  key.size = static_cast<uint32_t>(word.size());
  // The high bits of a product depend on all bits of its factors; the low ones do not.
  key.hash ^= key.hash >> 32;
  return key;
}

}  // namespace text
