#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>

namespace text {

/// 64 bytes compared at once with SSE2, which every x86-64 has: bit i of each answer tells about
/// byte i. The code that looks at bytes through one is a template over it; byte_window_avx2.h has
/// the same with wider registers.
class ByteWindow {
 public:
  static constexpr std::size_t kBytes = 64;

  /// Reads kBytes from `bytes` on (WorkText::kSlack lets it).
  explicit ByteWindow(const char* bytes) {
    for (int i = 0; i < kParts; ++i) {
      parts_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i);
    }
  }

  uint64_t Equal(char byte) const {
    return Bits([value = _mm_set1_epi8(byte)](__m128i x) { return _mm_cmpeq_epi8(x, value); });
  }

  uint64_t InRange(uint8_t first, uint8_t last) const {
    return Bits([=](__m128i x) { return IsBetween(x, first, last); });
  }

  uint64_t AsciiLetters() const {
    return Bits([lower = _mm_set1_epi8(0x20)](__m128i x) {
      return IsBetween(_mm_or_si128(x, lower), 'a', 'z');
    });
  }

  /// Bytes of characters beyond ASCII.
  uint64_t High() const {
    return Bits([](__m128i x) { return x; });
  }

  /// Where the lowest bit is; anything if there is none.
  static std::size_t LowestOrAny(uint64_t bits) {
    return static_cast<std::size_t>(__builtin_ctzll(bits | uint64_t{1} << 63));
  }

  static std::size_t Count(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return ((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56;
  }

 private:
  static constexpr int kParts = 4;

  /// Unsigned bounds by a signed comparison: `first` is moved to the least value.
  static __m128i IsBetween(__m128i x, uint8_t first, uint8_t last) {
    const __m128i moved = _mm_add_epi8(x, _mm_set1_epi8(static_cast<char>(0x80 - first)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(0x81 + last - first)));
  }

  template <typename Compare>
  uint64_t Bits(Compare compare) const {
    uint64_t bits = 0;
    for (int i = 0; i < kParts; ++i) {
      bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(compare(parts_[i])))} << (16 * i);
    }
    return bits;
  }

  __m128i parts_[kParts];
};

}  // namespace text
