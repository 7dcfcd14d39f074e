#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "text/models/bpe_pairs.h"

namespace text {

/// Encodes short words by merging, where pieces stand for bytes. It touches the merges that words
/// share, which stay in cache, while walking touches the pieces of each word, which do not.
class BpeShortWords {
 public:
  static constexpr std::size_t kBytesMax = 24;

  /// The number of each byte's piece, and what pairs of pieces merge to: lower numbers come first.
  BpeShortWords(const std::array<uint32_t, 256>& bytes, const BpePairs& pairs);

  /// Encodes `word`, of up to kBytesMax bytes, to out[0 … result). Nothing if a byte has no piece.
  std::optional<std::size_t> Encode(std::string_view word, const BpePairs& pairs,
                                    uint32_t* out) const;

  std::size_t memory_bytes() const { return byte_pairs_.capacity() * sizeof(uint32_t); }

 private:
  std::array<uint32_t, 256> bytes_;   // kNone: no piece.
  std::vector<uint32_t> byte_pairs_;  // What two bytes merge to, by first * 256 + second.
};

}  // namespace text
