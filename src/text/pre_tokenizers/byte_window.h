#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace text {

/// 64 bytes compared at once: bit i of each answer tells about byte i.
class ByteWindow {
 public:
  static constexpr std::size_t kBytes = 64;

  /// Reads kBytes from `bytes` on (WorkText::kSlack lets it).
  explicit ByteWindow(const char* bytes) {
    for (int i = 0; i < 4; ++i) {
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

  /// Bytes inside characters, all but their first.
  uint64_t Continuations() const {
    return Bits([limit = _mm_set1_epi8(-64)](__m128i x) { return _mm_cmplt_epi8(x, limit); });
  }

 private:
  /// Unsigned bounds by a signed comparison: `first` is moved to the least value.
  static __m128i IsBetween(__m128i x, uint8_t first, uint8_t last) {
    const __m128i moved = _mm_add_epi8(x, _mm_set1_epi8(static_cast<char>(0x80 - first)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(0x80 + last - first + 1)));
  }

  template <typename Compare>
  uint64_t Bits(Compare compare) const {
    uint64_t bits = 0;
    for (int i = 0; i < 4; ++i) {
      bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(compare(parts_[i])))} << (16 * i);
    }
    return bits;
  }

  __m128i parts_[4];
};

/// Among the first bytes of characters beyond ASCII, those that begin letters alone: of Latin,
/// Cyrillic, Arabic, Han and Hangul. A test holds this against the table of categories.
inline uint64_t LetterLeads(const ByteWindow& window) {
  return window.InRange(0xC4, 0xCA) | window.InRange(0xD0, 0xD1) | window.InRange(0xE5, 0xE9) |
         window.InRange(0xEB, 0xEC);
}

/// Bytes of `text` from `at` on that a window may hold without its last character being cut.
inline std::size_t WholeCharacters(std::string_view text, std::size_t at) {
  if (text.size() - at <= ByteWindow::kBytes) return text.size() - at;
  for (std::size_t back = 1; back < 4; ++back) {
    const auto byte = static_cast<uint8_t>(text[at + ByteWindow::kBytes - back]);
    if (byte < 0x80) break;
    if (byte < 0xC0) continue;
    const std::size_t size = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return size > back ? ByteWindow::kBytes - back : ByteWindow::kBytes;
  }
  return ByteWindow::kBytes;
}

/// The `size` lowest bits.
inline uint64_t LowBits(std::size_t size) {
  return size < 64 ? (uint64_t{1} << size) - 1 : ~uint64_t{0};
}

}  // namespace text
