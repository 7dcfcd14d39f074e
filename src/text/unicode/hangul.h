#pragma once

#include "text/unicode/characters.h"

namespace text {

// Hangul syllables, section 3.12 of the Unicode Standard.
inline constexpr char32_t kSyllableFirst = 0xAC00, kSyllableLast = 0xD7A3;
inline constexpr char32_t kLeadFirst = 0x1100, kVowelFirst = 0x1161, kTrailBefore = 0x11A7;
inline constexpr char32_t kLeadCount = 19, kVowelCount = 21, kTrailCount = 28;

inline bool IsSyllable(char32_t c) { return c >= kSyllableFirst && c <= kSyllableLast; }

/// Whether a syllable ends in a consonant.
inline bool HasTrail(char32_t syllable) { return (syllable - kSyllableFirst) % kTrailCount != 0; }

/// The two or three letters of a syllable.
inline Parts DecomposeSyllable(char32_t c) {
  const char32_t index = c - kSyllableFirst, trail = index % kTrailCount;
  const char32_t lead_and_vowel = index / kTrailCount;
  return {{kLeadFirst + lead_and_vowel / kVowelCount, kVowelFirst + lead_and_vowel % kVowelCount,
           kTrailBefore + trail},
          trail == 0 ? 2 : 3};
}

/// The syllable of a leading consonant and a vowel, or of such a syllable and a trailing consonant;
/// 0 if the two are neither.
inline char32_t ComposeSyllable(char32_t first, char32_t second) {
  const char32_t lead = first - kLeadFirst, vowel = second - kVowelFirst;
  if (lead < kLeadCount && vowel < kVowelCount) {
    return kSyllableFirst + (lead * kVowelCount + vowel) * kTrailCount;
  }
  const char32_t trail = second - kTrailBefore;
  const bool open = IsSyllable(first) && !HasTrail(first);
  return open && trail > 0 && trail < kTrailCount ? first + trail : 0;
}

}  // namespace text
