#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/models/bpe_merge.h"
#include "text/models/bpe_pairs.h"
#include "text/models/bpe_scratch.h"
#include "text/models/trie.h"

namespace text {

/// Byte pair encoding without merging. Merging a text, lowest rank first, gives the pieces
/// p1 … pn if and only if merging each p alone gives it back and merging each two neighbours gives
/// those two: what happens in a piece, or between two, does not depend on what is beside them. So
/// the encoding is found from the left as by a lexer, the longest piece first; one that its left
/// neighbour would not stand beside gives way to a shorter one, and where none is left the last
/// piece does. A text's beginning has one encoding at most, so that each place is left for good
/// after one failure, and the whole is linear. After van Antwerpen and Neubeck, "So many tokens, so
/// little time", 2024, and their `bpe`.
///
/// Whether two pieces may be neighbours is told by the merges that they are made of (CanPrecede).
/// Immutable.
class BpeWalk {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Source {
    /// By id: the bytes that stand for the piece in words; empty if none do.
    std::span<const std::string> bytes;
    /// Ids of the pieces of one character, from which merging starts.
    std::span<const int32_t> characters;
    /// In the order of their ranks. A later merge of the same two takes the place of the former.
    std::span<const BpeMerge> merges;
  };
  /// Nothing if a long piece is late (see Piece): that would take too much time.
  static std::optional<BpeWalk> Create(const Source& source);

  /// Call once for each word, before its first Encode.
  void Start(std::string_view word, BpeScratch& scratch) const;
  /// Encodes `word` from `begin` up to the first character that is no piece; returns where that is,
  /// or the end. The pieces are scratch.pieces[0 … count).
  struct Encoded {
    std::size_t end = 0, count = 0;
  };
  Encoded Encode(std::string_view word, std::size_t begin, BpeScratch& scratch) const;

  /// Whether some piece begins `text` (not empty). If none does its first character is no piece.
  bool Begins(std::string_view text) const { return Longest(text) != kNone; }

  /// The piece of a character; kNone: there is none.
  uint32_t Find(std::string_view character) const {
    const Trie::Node node = trie_.Find(character);
    return node == Trie::kNone ? kNone : static_cast<uint32_t>(trie_.value(node));
  }
  /// A piece's id, which in most vocabularies is its number and need not be fetched.
  int32_t IdOf(uint32_t piece) const {
    return ids_are_numbers_ ? static_cast<int32_t>(piece) : ids_[piece];
  }
  /// The piece that two pieces merge to, by their numbers: lower ones come first.
  const BpePairs& pairs() const { return pairs_; }

  /// Calls visit(left, right, merged), pieces all, for each merge.
  template <typename Visit>
  void ForEachMerge(Visit visit) const {
    for (uint32_t piece = 0; piece < pieces_.size(); ++piece) {
      if (pieces_[piece].left != kNone) visit(pieces_[piece].left, pieces_[piece].right, piece);
    }
  }

  std::size_t memory_bytes() const {
    return pieces_.capacity() * sizeof(Piece) + ids_.capacity() * sizeof(int32_t) +
           trie_.memory_bytes() + pairs_.memory_bytes();
  }

 private:
  friend class BpeWalkBuilder;

  /// Pieces are numbered by rank: first those of one character, then that of merge i as their
  /// number plus i. Merges that no text leads to leave a gap.
  struct Piece {
    uint32_t left = kNone, right = kNone;  // What it is merged of; kNone: one character.
    // The largest number of it and all its parts. Merging reaches it then: at once, if a part comes
    // after it. Such a piece is late.
    uint32_t time = 0;
    uint32_t shorter = kNone;  // The longest other piece that begins this one.
    uint32_t size = 0;
  };

  explicit BpeWalk(std::size_t pairs_max) : pairs_(pairs_max) {}

  bool CanPrecede(uint32_t left, uint32_t right, BpeScratch& scratch) const;
  bool StayApart(uint32_t left, uint32_t right, BpeScratch& scratch) const;
  void AppendCharacters(uint32_t piece, std::vector<uint32_t>& characters) const;
  uint32_t Longest(std::string_view text) const;

  std::vector<Piece> pieces_;
  std::vector<int32_t> ids_;
  bool ids_are_numbers_ = false;  // For every piece.
  Trie trie_;                     // Of the pieces' bytes.
  BpePairs pairs_;
};

}  // namespace text
