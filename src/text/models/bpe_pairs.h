#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace text {

/// Maps pairs of symbols to numbers: a hash table with linear probing behind a filter of one bit a
/// pair and at least seven free ones, as most pairs that are asked for are not there. What a lookup
/// costs is the way to memory, so a pair and its number share 64 bits.
class BpePairs {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  /// Symbols and numbers are below this.
  static constexpr uint32_t kEnd = (1u << 21) - 1;

  /// Holds up to `pairs_max` pairs.
  explicit BpePairs(std::size_t pairs_max);

  /// Replaces the number that the pair had. `value` is not kNone.
  void Set(uint32_t left, uint32_t right, uint32_t value);

  /// kNone: there is no such pair.
  uint32_t Find(uint32_t left, uint32_t right) const {
    const uint64_t hash = Hash(left, right);
    const uint64_t bit = hash >> filter_shift_;
    if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return kNone;
    const uint64_t slot = slots_[SlotOf(left, right, hash)];
    return slot == kFree ? kNone : static_cast<uint32_t>(slot & kEnd);
  }

  std::size_t memory_bytes() const;

 private:
  // left << 42 | right << 21 | number.
  static constexpr int kBits = 21;
  static constexpr uint64_t kFree = ~uint64_t{0};

  static uint64_t Hash(uint32_t left, uint32_t right) {
    return (uint64_t{left} << 32 | right) * 0x9E3779B97F4A7C15;
  }
  /// The slot of that pair, or the free one where it would be.
  std::size_t SlotOf(uint32_t left, uint32_t right, uint64_t hash) const {
    const uint64_t pair = uint64_t{left} << kBits | right;
    std::size_t at = hash >> slot_shift_;
    while (slots_[at] >> kBits != pair && slots_[at] != kFree) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  int slot_shift_, filter_shift_;
  std::vector<uint64_t> slots_;
  std::vector<uint64_t> filter_;
};

/// Merges `pieces`, of which neighbours merge to `merges` (one fewer; kNone: they do not), the
/// lowest first and of equal ones the leftmost, for lists so short that their square costs little.
/// Returns how many are left.
std::size_t MergeShort(uint32_t* pieces, uint32_t* merges, std::size_t count,
                       const BpePairs& pairs);

}  // namespace text
