#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "text/models/trie.h"

namespace text {

/// A trie of pieces whose units hold what Unigram reads of a piece beside the link, so that a step
/// of the walk is one load. Immutable.
class UnigramTrie {
 public:
  /// The score of a node where no piece ends: no way through it is the best.
  static constexpr double kNoPiece = -std::numeric_limits<double>::infinity();

  struct alignas(16) Unit {
    double score = kNoPiece;
    int32_t id = 0;
    uint32_t link = 0;  ///< as in Trie
  };

  /// The values of `pieces` are ids, of which `scores` has the scores.
  UnigramTrie(const Trie& pieces, std::span<const double> scores);

  /// The units, of which that of the root is the first.
  const Unit* units() const { return units_.data(); }
  /// The child of `unit` for `byte`; null: no piece goes on like this. `units` is units(), which
  /// loops hold in a register.
  static const Unit* Child(const Unit* units, const Unit& unit, char byte) {
    const auto label = static_cast<unsigned char>(byte);
    const Unit& child = units[unit.link >> Trie::kLabelBits ^ label];
    return (child.link & Trie::kLabelMask) == label ? &child : nullptr;
  }

  std::size_t memory_bytes() const { return units_.capacity() * sizeof(Unit); }

 private:
  std::vector<Unit> units_;
};

}  // namespace text
