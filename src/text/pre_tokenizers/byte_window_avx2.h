#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace text {

/// ByteWindow with AVX2. For files of that instruction set alone.
class ByteWindowAvx2 {
 public:
  static constexpr std::size_t kBytes = 64;

  explicit ByteWindowAvx2(const char* bytes) {
    for (int i = 0; i < kParts; ++i) {
      parts_[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes) + i);
    }
  }

  uint64_t Equal(char byte) const {
    return Bits(
        [value = _mm256_set1_epi8(byte)](__m256i x) { return _mm256_cmpeq_epi8(x, value); });
  }

  uint64_t InRange(uint8_t first, uint8_t last) const {
    return Bits([=](__m256i x) { return IsBetween(x, first, last); });
  }

  uint64_t AsciiLetters() const {
    return Bits([lower = _mm256_set1_epi8(0x20)](__m256i x) {
      return IsBetween(_mm256_or_si256(x, lower), 'a', 'z');
    });
  }

  uint64_t High() const {
    return Bits([](__m256i x) { return x; });
  }

  static std::size_t LowestOrAny(uint64_t bits) { return _tzcnt_u64(bits); }

  static std::size_t Count(uint64_t bits) {
    return static_cast<std::size_t>(__builtin_popcountll(bits));
  }

 private:
  static constexpr int kParts = 2;

  static __m256i IsBetween(__m256i x, uint8_t first, uint8_t last) {
    const __m256i moved = _mm256_add_epi8(x, _mm256_set1_epi8(static_cast<char>(0x80 - first)));
    return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(0x81 + last - first)), moved);
  }

  template <typename Compare>
  uint64_t Bits(Compare compare) const {
    uint64_t bits = 0;
    for (int i = 0; i < kParts; ++i) {
      bits |= uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(compare(parts_[i])))} << (32 * i);
    }
    return bits;
  }

  __m256i parts_[kParts];
};

}  // namespace text
