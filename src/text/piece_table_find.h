#pragma once

#include <xmmintrin.h>

#include <algorithm>
#include <array>

#include "text/piece_table.h"

namespace text {

/// Bytes 0x00 up to the middle and 0xFF from there: read n before the middle, they leave n bytes as
/// they are when they are ORed.
alignas(64) inline constexpr auto kWordEnds = [] {
  std::array<unsigned char, 2 * PieceTable::kReadBytes> ends{};
  for (std::size_t i = PieceTable::kReadBytes; i < ends.size(); ++i) ends[i] = 0xFF;
  return ends;
}();

/// PieceTable::Find for 32 bytes held as `Bytes` does: in two SSE2 vectors or one of AVX2. Both
/// give the same hashes.
template <typename Bytes>
struct PieceTableFind {
  using Entry = PieceTable::Entry;

  static Bytes WordBytes(std::string_view word) {
    const std::size_t size = std::min(word.size(), PieceTable::kReadBytes);
    return Bytes(word.data()).Or(kWordEnds.data() + PieceTable::kReadBytes - size);
  }

  /// Multiplies by digits of pi. The low bits of a product depend on few bits of its factors, the
  /// high bits on all: those come to the low end, from which indexes are taken.
  static uint64_t Hash(const Bytes& bytes) {
    const auto [first, second] = bytes.Halves();
    return (first * 0x243F6A8885A308D3 + second * 0x13198A2E03707345) >> 24;
  }

  static void Run(const PieceTable& table, std::span<const std::string_view> words,
                  PieceTable::Found& found) {
    const Entry* const entries = table.entries_.data();
    const uint64_t mask = table.mask_;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Bytes key = WordBytes(words[i]);
      key.Store(&found.keys[i]);
      found.hashes[i] = Hash(key);
      _mm_prefetch(&entries[PieceTable::LineOf(found.hashes[i], mask)], _MM_HINT_T0);
    }
    uint32_t missing = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Bytes key(&found.keys[i]);
      uint64_t at = PieceTable::LineOf(found.hashes[i], mask);
      int32_t id = IdIn(&entries[at], key);
      while (id < 0 && (entries[at + 1].id & PieceTable::kOverflows) != 0) [[unlikely]] {
          at = (at + 2) & mask;
          id = IdIn(&entries[at], key);
        }
      found.ids[i] = id;
      missing |= static_cast<uint32_t>(id < 0) << i;
    }
    found.missing = missing;
  }

  /// The id that the line's two entries have for a word; negative: none. Without a branch.
  static int32_t IdIn(const Entry* line, const Bytes& key) {
    const int32_t first = key.Begins(&line[0]) ? line[0].id : PieceTable::kFree;
    const int32_t second = line[1].id & ~PieceTable::kOverflows;
    return key.Begins(&line[1]) ? second : first;
  }
};

}  // namespace text
