#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace text {

/// Words that are one token: a hash table of 32-byte entries, two to a cache line, asked for
/// sixteen words at a time, so that their lines come from memory together and hardly a branch
/// depends on what the words are. Filled once, then immutable.
class PieceTable {
 public:
  static constexpr std::size_t kBytesMax = 27;
  static constexpr std::size_t kGroup = 16;
  /// Bytes that are read where a word begins, whatever its size.
  static constexpr std::size_t kReadBytes = 32;

  /// Room for `words` words.
  explicit PieceTable(std::size_t words);

  /// `word` has 1 to kBytesMax bytes, no byte 0xFF, and is not there yet; `id` is from 0 to 2^30
  /// - 1.
  void Insert(std::string_view word, int32_t id);

  /// What is known of the words of a group.
  struct Found {
    /// Their first kReadBytes bytes, 0xFF behind the end of shorter ones, and the hashes of that.
    alignas(32) std::array<std::array<uint64_t, kReadBytes / 8>, kGroup> keys;
    std::array<uint64_t, kGroup> hashes;
    std::array<int32_t, 2 * kGroup> ids;  ///< of those not missing; as many again can be read
    uint32_t missing;                     ///< bit i: word i is not in the table
  };
  /// Looks up to kGroup words up, none of which is empty.
  void Find(std::span<const std::string_view> words, Found& found) const {
    find_(*this, words, found);
  }

  std::size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  template <typename Bytes>
  friend struct PieceTableFind;

  // UTF-8 has no byte 0xFF: it fills the bytes behind a word's end, so that entries tell words of
  // any length apart. A longer word than kBytesMax equals no entry, as the last byte is 0xFF in
  // all.
  struct alignas(32) Entry {
    std::array<char, kBytesMax + 1> bytes;
    int32_t id = kFree;

    Entry() { bytes.fill('\xFF'); }
  };
  static constexpr int32_t kFree = std::numeric_limits<int32_t>::min();  // Negative: is no id.
  /// In the id of a line's second entry: words that belong here lie in the next line.
  static constexpr int32_t kOverflows = 1 << 30;

  /// The first entry of the line where a word belongs.
  static uint64_t LineOf(uint64_t hash, uint64_t mask) { return hash & mask & ~uint64_t{1}; }

  std::vector<Entry> entries_;
  uint64_t mask_;
  void (*find_)(const PieceTable&, std::span<const std::string_view>, Found&);
};

}  // namespace text
