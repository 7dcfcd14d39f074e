#include "text/models/bpe_pairs.h"

#include <algorithm>
#include <bit>

#include "common/check.h"

namespace text {

BpePairs::BpePairs(std::size_t pairs_max) {
  // At most two thirds of the slots are taken.
  const int slot_bits = std::bit_width(pairs_max + pairs_max / 2 + 1);
  const int filter_bits = std::max(6, static_cast<int>(std::bit_width(pairs_max)) + 3);
  slot_shift_ = 64 - slot_bits;
  filter_shift_ = 64 - filter_bits;
  slots_.resize(std::size_t{1} << slot_bits, kFree);
  filter_.resize(std::size_t{1} << (filter_bits - 6));
}

void BpePairs::Set(uint32_t left, uint32_t right, uint32_t value) {
  CHECK(left < kEnd && right < kEnd && value < kEnd) << left << " " << right << " " << value;
  const uint64_t hash = Hash(left, right);
  const uint64_t bit = hash >> filter_shift_;
  filter_[bit / 64] |= uint64_t{1} << bit % 64;
  slots_[SlotOf(left, right, hash)] =
      uint64_t{left} << 2 * kBits | uint64_t{right} << kBits | value;
}

std::size_t BpePairs::memory_bytes() const {
  return slots_.capacity() * sizeof(uint64_t) + filter_.capacity() * sizeof(uint64_t);
}

std::size_t MergeShort(uint32_t* pieces, uint32_t* merges, std::size_t count,
                       const BpePairs& pairs) {
  if (count == 0) return 0;
  std::size_t last = count - 1;
  while (last > 0) {
    std::size_t at = 0;
    uint32_t least = merges[0];
    for (std::size_t i = 1; i < last; ++i) {
      at = merges[i] < least ? i : at;
      least = std::min(merges[i], least);
    }
    if (least == BpePairs::kNone) break;
    pieces[at] = least;
    for (std::size_t i = at + 1; i < last; ++i) pieces[i] = pieces[i + 1];
    for (std::size_t i = at; i + 1 < last; ++i) merges[i] = merges[i + 1];
    --last;
    if (at > 0) merges[at - 1] = pairs.Find(pieces[at - 1], least);
    if (at < last) merges[at] = pairs.Find(least, pieces[at + 1]);
  }
  return last + 1;
}

}  // namespace text
