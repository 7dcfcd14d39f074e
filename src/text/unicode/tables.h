#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// The generated tables behind text/unicode/characters.h, which is what others include. Sorted by
// code point.

namespace text {

struct CodePointRange {
  char32_t first, last;
};

struct CombiningClassRange {
  char32_t first, last;
  uint8_t combining_class;
};

/// Every stride-th code point from first to last has its lower case delta further on.
struct LowerRun {
  char32_t first, last;
  int32_t stride, delta;
};

/// The full canonical decomposition of one code point (Hangul syllables are computed); parts that
/// are not there are 0.
struct Decomposition {
  char32_t from;
  char32_t to[4];
};

/// Two code points that NFC joins to one; pairs that make a Hangul syllable are computed.
struct Composition {
  char32_t first, second, composite;
};

/// Neighbours from `first` on, each of which decomposes into `parts` code points under NFKD (in
/// full, and otherwise than under NFD): all of them, one after the other, are `to`.
struct CompatibilityRun {
  char32_t first;
  uint32_t parts;
  std::u32string_view to;
};

extern const std::span<const CodePointRange> kRemovedByCleaning;
extern const std::span<const CodePointRange> kWhitespace;
extern const std::span<const CodePointRange> kIdeographs;
extern const std::span<const CodePointRange> kAccents;
extern const std::span<const CodePointRange> kMarks;
extern const std::span<const CodePointRange> kPunctuation;
extern const std::span<const CodePointRange> kWordCharacters;
extern const std::span<const CombiningClassRange> kCombiningClasses;
extern const std::span<const LowerRun> kLowerRuns;
extern const std::span<const Decomposition> kDecompositions;
extern const std::span<const Composition> kCompositions;
extern const std::span<const CompatibilityRun> kCompatibilityRuns;

}  // namespace text
