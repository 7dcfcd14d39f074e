#include "text/models/bpe_queue.h"

#include <algorithm>
#include <functional>

namespace text {
namespace {

using Symbol = BpeScratch::Symbol;

constexpr uint32_t kNowhere = ~uint32_t{0};  // Before the first symbol, behind the last.

/// Takes the symbol behind the one at `at` out of the list.
void UnlinkNext(std::vector<Symbol>& symbols, uint32_t at) {
  Symbol& next = symbols[symbols[at].next];
  next.merged = true;
  symbols[at].next = next.next;
  if (next.next != kNowhere) symbols[next.next].previous = at;
}

}  // namespace

BpeQueue::BpeQueue(std::span<const BpeMerge> merges) : ranks_(merges.size()) {
  for (const BpeMerge& merge : merges) {
    ranks_.Set(static_cast<uint32_t>(merge.left), static_cast<uint32_t>(merge.right),
               static_cast<uint32_t>(merged_.size()));
    merged_.push_back(merge.merged);
  }
}

/// The rank of merging the symbol at `at` and its next; kNone: they do not merge.
uint32_t BpeQueue::RankAt(const std::vector<Symbol>& symbols, uint32_t at) const {
  const Symbol& left = symbols[at];
  if (left.merged || left.next == kNowhere) return BpePairs::kNone;
  return ranks_.Find(static_cast<uint32_t>(left.id), static_cast<uint32_t>(symbols[left.next].id));
}

/// An entry is the rank above the place, so that of equal ranks the leftmost comes first.
void BpeQueue::Push(uint32_t at, BpeScratch& scratch) const {
  const uint32_t rank = RankAt(scratch.symbols, at);
  if (rank == BpePairs::kNone) return;
  scratch.merges.push_back(uint64_t{rank} << 32 | at);
  std::push_heap(scratch.merges.begin(), scratch.merges.end(), std::greater<>());
}

void BpeQueue::Merge(BpeScratch& scratch) const {
  auto& symbols = scratch.symbols;
  auto& heap = scratch.merges;
  const auto count = static_cast<uint32_t>(symbols.size());
  heap.clear();
  for (uint32_t at = 0; at < count; ++at) {
    symbols[at].previous = at == 0 ? kNowhere : at - 1;
    symbols[at].next = at + 1 == count ? kNowhere : at + 1;
  }
  for (uint32_t at = 0; at < count; ++at) Push(at, scratch);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const auto at = static_cast<uint32_t>(heap.back());
    const auto merged = merged_[heap.back() >> 32];
    heap.pop_back();
    // Of an entry that its symbols have outlived, the library asks no more than this.
    const uint32_t rank = RankAt(symbols, at);
    if (rank == BpePairs::kNone || merged_[rank] != merged) continue;
    symbols[at].id = merged;
    symbols[at].width += symbols[symbols[at].next].width;
    UnlinkNext(symbols, at);
    if (symbols[at].previous != kNowhere) Push(symbols[at].previous, scratch);
    Push(at, scratch);
  }
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.merged; });
}

}  // namespace text
