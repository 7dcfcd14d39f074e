#pragma once

#include <emmintrin.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace text {

/// A short word in two vectors, zero behind its end, and its hash: what WordTable and WordCache
/// compare. Made without a branch on the length, which no processor can predict.
struct WordKey {
  static constexpr std::size_t kBytesMax = 32;

  __m128i low, high;
  uint64_t hash;
  uint64_t size;

  /// `word` has at most kBytesMax bytes, and kBytesMax bytes can be read where it begins.
  static WordKey Of(std::string_view word);
};

namespace word_key_internal {

/// Bytes 0xFF up to the middle and 0x00 from there: read n before the middle, they keep n bytes.
alignas(64) constexpr auto kKept = [] {
  std::array<unsigned char, 2 * WordKey::kBytesMax> mask{};
  for (std::size_t i = 0; i < WordKey::kBytesMax; ++i) mask[i] = 0xFF;
  return mask;
}();

inline __m128i Load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

}  // namespace word_key_internal

inline WordKey WordKey::Of(std::string_view word) {
  using word_key_internal::Load;
  const unsigned char* kept = word_key_internal::kKept.data() + kBytesMax - word.size();
  WordKey key;
  key.low = _mm_and_si128(Load(word.data()), Load(kept));
  key.high = _mm_and_si128(Load(word.data() + 16), Load(kept + 16));
  key.size = word.size();
  // Two multiplications by digits of pi. The low bits of a product depend on few bits of its
  // factors, the high bits on all: those come to the low end, from which indexes are taken.
  const __m128i mixed = _mm_xor_si128(key.low, _mm_shuffle_epi32(key.high, 0b10'01'00'11));
  const auto first = static_cast<uint64_t>(_mm_cvtsi128_si64(mixed));
  const auto second = static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(mixed, mixed)));
  const uint64_t sum = first * 0x243F6A8885A308D3 + second * 0x13198A2E03707345;
  key.hash = sum >> 24;
  return key;
}

}  // namespace text
