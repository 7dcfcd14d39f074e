#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Operations on the masks of a ByteWindow. Always inlined: files for one instruction set use them,
// whose code must not become that of others.

namespace text {

/// The `size` lowest bits; all from 64 on.
[[gnu::always_inline]] inline uint64_t LowBits(std::size_t size) {
  return size < 64 ? (uint64_t{1} << size) - 1 : ~uint64_t{0};
}

/// The first bit of each run.
[[gnu::always_inline]] inline uint64_t Firsts(uint64_t runs) { return runs & ~(runs << 1); }

/// Places of the lowest and highest of some bits.
[[gnu::always_inline]] inline std::size_t Lowest(uint64_t bits) {
  return static_cast<std::size_t>(__builtin_ctzll(bits));
}
[[gnu::always_inline]] inline std::size_t Highest(uint64_t bits) {
  return 63 - static_cast<std::size_t>(__builtin_clzll(bits));
}

[[gnu::always_inline]] inline uint64_t WithoutLowest(uint64_t bits) { return bits & (bits - 1); }

/// The first bytes of characters that begin letters alone: of Latin, Cyrillic, Arabic, Han and
/// Hangul. A test holds this against the table of categories.
template <typename Bytes>
[[gnu::always_inline]] inline uint64_t LetterLeads(const Bytes& bytes) {
  // U+00D7 and U+00F7, a cross and a division sign, lie among the letters of C3.
  const uint64_t signs = bytes.Equal('\xC3') & (bytes.Equal('\x97') | bytes.Equal('\xB7')) >> 1;
  return (bytes.InRange(0xC3, 0xCA) & ~signs) | bytes.InRange(0xD0, 0xD1) |
         bytes.InRange(0xE5, 0xE9) | bytes.InRange(0xEB, 0xEC);
}

}  // namespace text
