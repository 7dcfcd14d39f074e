#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/models/bpe_walk.h"

namespace text {

/// Encodes short words by merging, where pieces stand for bytes. It touches the merges that words
/// share, which stay in cache, while walking touches the pieces of each word, which do not.
///
/// Half of all merges are sure from the bytes alone, and are done at once, without waiting for each
/// other: those of two bytes that come before all merges of the first byte with any piece that ends
/// in the byte before it, and of the second with any that begins with the byte behind it. Until
/// they are merged they stay, since whatever could take one of them comes later.
///
/// Immutable.
class BpeShortWords {
 public:
  static constexpr std::size_t kBytesMax = 128;

  /// `bytes`: by id, those that stand for the piece in words.
  BpeShortWords(const BpeWalk& walk, std::span<const std::string> bytes);

  /// Encodes `word`, of up to kBytesMax bytes, to out[0 … result). Nothing if a byte has no piece,
  /// or if more than 64 pieces are left once the sure merges are done.
  std::optional<std::size_t> Encode(std::string_view word, const BpePairs& pairs,
                                    uint32_t* out) const;

  std::size_t memory_bytes() const { return byte_pairs_.capacity() * sizeof(BytePair); }

 private:
  /// What two bytes x, y merge to, or kNoPiece, and:
  struct BytePair {
    uint32_t piece : 29;
    uint32_t late : 1;      // It goes on to merge by a merge that comes before it.
    uint32_t by_left : 1;   // A longer piece that ends in x merges with y, and that comes before.
    uint32_t by_right : 1;  // A longer piece that begins with y merges with x, and that does.
  };
  static constexpr uint32_t kNoPiece = (1u << 29) - 1;

  static bool IsSure(BytePair left, BytePair pair, BytePair right);

  std::array<uint32_t, 256> bytes_;   // Their pieces; kNone: none.
  std::vector<BytePair> byte_pairs_;  // By x * 256 + y.
};

}  // namespace text
