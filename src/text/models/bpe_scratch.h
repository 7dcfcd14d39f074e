#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace text {

/// What Bpe works in.
struct BpeScratch {
  /// A part of the merge queue's word: a list in place, in which a symbol that was merged into the
  /// one before it stays behind.
  struct Symbol {
    int32_t id = 0;
    uint32_t width = 0;  ///< bytes of the word as the vocabulary writes it
    uint32_t previous = 0, next = 0;
    bool merged = false;
  };

  std::vector<uint32_t> pieces;       ///< BpeWalk: the encoding so far
  std::vector<uint32_t> parts;        ///< BpeWalk: two neighbours while they are merged
  std::vector<uint32_t> part_merges;  ///< BpeWalk: what their parts merge to
  std::vector<uint64_t> dead;         ///< BpeWalk: a bit for each place from which no way leads on
  std::vector<Symbol> symbols;        ///< BpeQueue: the word
  std::vector<uint64_t> merges;       ///< BpeQueue: a heap
  std::string present;                ///< a word without the characters that are left out
  std::string written;                ///< a character as the vocabulary writes it
};

}  // namespace text
