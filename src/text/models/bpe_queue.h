#pragma once

#include <span>
#include <vector>

#include "text/models/bpe_merge.h"
#include "text/models/bpe_pairs.h"
#include "text/models/bpe_scratch.h"

namespace text {

/// Byte pair encoding by merging, lowest rank first, with a heap: n log n. For the vocabularies
/// that BpeWalk does not know how to encode. Immutable.
class BpeQueue {
 public:
  /// In the order of their ranks. A later merge of the same two takes the place of the former.
  explicit BpeQueue(std::span<const BpeMerge> merges);

  /// Merges scratch.symbols, of which ids and widths are set, and leaves the result there.
  void Merge(BpeScratch& scratch) const;

  std::size_t memory_bytes() const {
    return ranks_.memory_bytes() + merged_.capacity() * sizeof(int32_t);
  }

 private:
  uint32_t RankAt(const std::vector<BpeScratch::Symbol>& symbols, uint32_t at) const;
  void Push(uint32_t at, BpeScratch& scratch) const;

  BpePairs ranks_;
  std::vector<int32_t> merged_;  // By rank.
};

}  // namespace text
