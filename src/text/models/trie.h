#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace text {

/// Maps byte strings to numbers and finds the longest one that begins a text: a double-array trie
/// (Aoe 1989) in which the child for a byte lies at base XOR byte. Immutable.
class Trie {
 public:
  struct Entry {
    std::string_view key;
    int32_t value = 0;
  };

  /// A state of the walk; kNone: no key goes on like this.
  using Node = uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNone = ~Node{0};

  Trie() : Trie(std::vector<Entry>{}) {}
  /// Keys are distinct, values not negative. The keys are copied.
  explicit Trie(std::vector<Entry> entries);

  Node Child(Node node, char byte) const {
    const auto label = static_cast<unsigned char>(byte);
    const Node child = units_[node].link >> kLabelBits ^ label;
    return (units_[child].link & kLabelMask) == label ? child : kNone;
  }
  /// The number of the key that ends here; -1: none does.
  int32_t value(Node node) const { return units_[node].value; }

  /// Where `key` leads from the root.
  Node Find(std::string_view key) const;

  struct Match {
    std::size_t size = 0;  ///< bytes; 0: nothing matches
    int32_t value = -1;
  };
  /// The longest key below `node` that begins `text`, not counting one that ends at `node`.
  Match LongestPrefix(Node node, std::string_view text) const {
    Match match;
    for (std::size_t at = 0; at < text.size();) {
      node = Child(node, text[at++]);
      if (node == kNone) break;
      if (value(node) >= 0) match = {at, value(node)};
    }
    return match;
  }

  /// The units as they lie in memory, for walks that need more in a unit (unigram_trie.h): `link`
  /// is base << kLabelBits | label, a label above 255 that of a free unit.
  static constexpr int kLabelBits = 9;
  static constexpr uint32_t kLabelMask = (1u << kLabelBits) - 1;
  std::size_t units() const { return units_.size(); }
  uint32_t link(Node node) const { return units_[node].link; }

  std::size_t memory_bytes() const { return units_.capacity() * sizeof(Unit); }

 private:
  friend class TrieBuilder;

  // A unit is free if its label is none of a byte. No node with children has base 0, so that a
  // leaf, whose base is 0, finds none.
  static constexpr uint32_t kFree = 256;

  struct Unit {
    uint32_t link = kFree;  // base << kLabelBits | label
    int32_t value = -1;
  };
  std::vector<Unit> units_;
};

}  // namespace text
