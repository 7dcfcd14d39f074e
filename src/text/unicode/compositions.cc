#include "text/unicode/compositions.h"

#include "text/unicode/hangul.h"

namespace text {
namespace {

constexpr int kSlotBits = 11;  // Less than half of the slots are taken.

}  // namespace

const Compositions& Compositions::Get() {
  static const Compositions& compositions = *new Compositions;
  return compositions;
}

Compositions::Compositions() : slots_(std::size_t{1} << kSlotBits) {
  for (const Composition& row : kCompositions) {
    places_.At(row.first) |= kFirst;
    places_.At(row.second) |= kSecond;
    slots_[Slot(row.first, row.second)] = row;
  }
  for (char32_t c = kVowelFirst; c < kVowelFirst + kVowelCount; ++c) places_.At(c) |= kSecond;
  for (char32_t c = kTrailBefore + 1; c < kTrailBefore + kTrailCount; ++c) places_.At(c) |= kSecond;
}

// Where the pair stands, or the free slot where it would.
std::size_t Compositions::Slot(char32_t first, char32_t second) const {
  constexpr uint32_t kSpread = 0x9E3779B1;  // Fibonacci hashing (Knuth, volume 3, section 6.4).
  std::size_t slot = (first * 31 + second) * kSpread >> (32 - kSlotBits);
  while (slots_[slot].composite != 0 &&
         (slots_[slot].first != first || slots_[slot].second != second)) {
    slot = (slot + 1) % slots_.size();
  }
  return slot;
}

char32_t Compositions::Compose(char32_t first, char32_t second) const {
  if (!IsSecond(second)) return 0;
  if ((places_[first] & kFirst) != 0) return slots_[Slot(first, second)].composite;
  return ComposeSyllable(first, second);
}

}  // namespace text
