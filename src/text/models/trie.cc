#include "text/models/trie.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>

#include "common/check.h"

namespace text {

/// Gives every node a base such that its children fall on free units. Units come in blocks of 256;
/// only the newest few are searched, which bounds the work at the price of a few units left free.
class TrieBuilder {
 public:
  TrieBuilder(std::vector<Trie::Entry>& entries, std::vector<Trie::Unit>& units)
      : entries_(entries), units_(units) {}

  void Build() {
    Sort();
    AddBlock();
    std::deque<Pending> queue = {{Trie::kRoot, 0, entries_.size(), 0}};
    for (; !queue.empty(); queue.pop_front()) Expand(queue.front(), queue);
  }

 private:
  static constexpr uint32_t kBlock = 256;
  static constexpr uint32_t kOpenBlocks = 4;
  static constexpr uint32_t kEnds = Trie::kRoot;
  static constexpr uint32_t kBaseEnd = 1u << (32 - Trie::kLabelBits);

  /// A node whose entries, those in [begin, end), share their first `depth` bytes.
  struct Pending {
    Trie::Node node;
    std::size_t begin, end, depth;
  };

  /// Sorts the entries by key. Most are told apart by their first bytes, taken as one number.
  void Sort() {
    struct Keyed {
      uint64_t start;
      Trie::Entry entry;
    };
    std::vector<Keyed> keyed;
    keyed.reserve(entries_.size());
    for (const Trie::Entry& entry : entries_) {
      unsigned char bytes[sizeof(uint64_t)] = {};
      std::copy_n(entry.key.begin(), std::min(entry.key.size(), sizeof(bytes)), bytes);
      uint64_t start = 0;
      for (const unsigned char byte : bytes) start = start << 8 | byte;
      keyed.push_back({start, entry});
    }
    std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
      return a.start != b.start ? a.start < b.start : a.entry.key < b.entry.key;
    });
    // Every level reads all keys in this order: they must not lie all over the memory.
    std::size_t size = 0;
    for (const Trie::Entry& entry : entries_) size += entry.key.size();
    keys_.reserve(size);
    for (std::size_t i = 0; i < keyed.size(); ++i) {
      const Trie::Entry& entry = keyed[i].entry;
      entries_[i] = {std::string_view(keys_.data() + keys_.size(), entry.key.size()), entry.value};
      keys_ += entry.key;
    }
  }

  void Expand(const Pending& pending, std::deque<Pending>& queue) {
    auto [node, begin, end, depth] = pending;
    if (begin < end && entries_[begin].key.size() == depth) {
      units_[node].value = entries_[begin++].value;
    }
    if (begin == end) return;
    const auto label = [&, d = depth](std::size_t i) {
      return static_cast<unsigned char>(entries_[i].key[d]);
    };
    labels_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      if (i == begin || label(i) != label(i - 1)) labels_.push_back(label(i));
    }
    const uint32_t base = TakeBase();
    units_[node].link |= base << Trie::kLabelBits;
    for (std::size_t i = begin, next = i; i < end; i = next) {
      while (next < end && label(next) == label(i)) ++next;
      const Trie::Node child = base ^ label(i);
      TakeUnit(child);
      units_[child].link = label(i);
      queue.push_back({child, i, next, depth + 1});
    }
  }

  /// A base, not yet used, under which all of labels_ are free.
  uint32_t TakeBase() {
    while (true) {
      for (uint32_t unit = next_[kEnds]; unit != kEnds; unit = next_[unit]) {
        const uint32_t base = unit ^ labels_[0];
        if (base == 0 || base_used_[base]) continue;
        const bool fits = std::all_of(labels_.begin(), labels_.end(),
                                      [&](unsigned char l) { return IsFree(base ^ l); });
        if (!fits) continue;
        CHECK(base < kBaseEnd) << "a trie of " << entries_.size() << " keys is too large";
        base_used_[base] = true;
        return base;
      }
      AddBlock();
    }
  }

  void AddBlock() {
    const auto first = static_cast<uint32_t>(units_.size());
    units_.resize(first + kBlock);
    base_used_.resize(units_.size());
    next_.resize(units_.size());
    previous_.resize(units_.size());
    for (uint32_t unit = std::max(first, kEnds + 1); unit < first + kBlock; ++unit) {
      Link(previous_[kEnds], unit);
      Link(unit, kEnds);
    }
    if (first < kOpenBlocks * kBlock) return;
    const uint32_t closed = first - kOpenBlocks * kBlock;
    for (uint32_t unit = closed; unit < closed + kBlock; ++unit) {
      if (IsFree(unit)) TakeUnit(unit);
    }
  }

  // The free units form a ring through kEnds, which is the root's unit and never free; a unit that
  // is taken points at itself.
  bool IsFree(uint32_t unit) const { return unit != kEnds && next_[unit] != unit; }

  void TakeUnit(uint32_t unit) {
    Link(previous_[unit], next_[unit]);
    next_[unit] = unit;
  }

  void Link(uint32_t left, uint32_t right) {
    next_[left] = right;
    previous_[right] = left;
  }

  std::vector<Trie::Entry>& entries_;
  std::string keys_;  // What sorted entries point into.
  std::vector<Trie::Unit>& units_;
  std::vector<unsigned char> labels_;  // Of the node at hand, ascending.
  std::vector<uint32_t> next_, previous_;
  std::vector<bool> base_used_;
};

Trie::Trie(std::vector<Entry> entries) { TrieBuilder(entries, units_).Build(); }

Trie::Node Trie::Find(std::string_view key) const {
  Node node = kRoot;
  for (const char byte : key) {
    node = Child(node, byte);
    if (node == kNone) break;
  }
  return node;
}

}  // namespace text
