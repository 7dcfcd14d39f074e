#include "text/unicode/characters.h"

#include <algorithm>
#include <span>

#include "text/unicode/tables.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

// Hangul syllables, section 3.12 of the Unicode Standard.
constexpr char32_t kSyllableFirst = 0xAC00, kSyllableLast = 0xD7A3;
constexpr char32_t kLeadFirst = 0x1100, kVowelFirst = 0x1161, kTrailBefore = 0x11A7;
constexpr char32_t kVowelCount = 21, kTrailCount = 28;

// The only code point whose lower case is two: i and a dot above.
constexpr char32_t kCapitalIWithDot = 0x130, kDotAbove = 0x307;

bool IsSyllable(char32_t c) { return c >= kSyllableFirst && c <= kSyllableLast; }

Parts DecomposeSyllable(char32_t c) {
  const char32_t index = c - kSyllableFirst, trail = index % kTrailCount;
  const char32_t lead_and_vowel = index / kTrailCount;
  return {{kLeadFirst + lead_and_vowel / kVowelCount, kVowelFirst + lead_and_vowel % kVowelCount,
           kTrailBefore + trail},
          trail == 0 ? 2 : 3};
}

void Mark(std::span<const CodePointRange> ranges, Trait trait, CodePointTable<uint8_t>& traits) {
  for (const auto& [first, last] : ranges) {
    for (char32_t c = first; c <= last; ++c) traits.At(c) |= trait;
  }
}

}  // namespace

Characters::Characters() {
  Mark(kRemovedByCleaning, kRemovedByCleaningTrait, traits_);
  Mark(kWhitespace, kWhitespaceTrait, traits_);
  Mark(kIdeographs, kIdeographTrait, traits_);
  Mark(kAccents, kAccentTrait, traits_);
  Mark(kPunctuation, kPunctuationTrait, traits_);
  const CodePointRange syllables[] = {{kSyllableFirst, kSyllableLast}};
  Mark(syllables, kDecomposesTrait, traits_);
  for (std::size_t row = 0; row < kDecompositions.size(); ++row) {
    traits_.At(kDecompositions[row].from) |= kDecomposesTrait;
    decomposition_.At(kDecompositions[row].from) = static_cast<uint16_t>(row + 1);
  }
  for (const auto& [first, last, combining_class] : kCombiningClasses) {
    for (char32_t c = first; c <= last; ++c) {
      traits_.At(c) |= kReorderedTrait;
      combining_class_.At(c) = combining_class;
    }
  }
  for (const auto& [first, last, stride, delta] : kLowerRuns) {
    for (char32_t c = first; c <= last; c += stride) {
      traits_.At(c) |= kUpperTrait;
      lower_.At(c) = c + delta;
    }
  }
  traits_.At(kCapitalIWithDot) |= kUpperTrait;
}

const Characters& Characters::Get() {
  static const Characters& characters = *new Characters;
  return characters;
}

Parts Characters::Decompose(char32_t c) const {
  if (IsSyllable(c)) return DecomposeSyllable(c);
  const uint16_t row = decomposition_[c];
  if (row == 0) return {{c}, 1};
  const char32_t(&to)[4] = kDecompositions[row - 1].to;
  const auto count = std::find(std::begin(to), std::end(to), U'\0') - std::begin(to);
  return {{to[0], to[1], to[2], to[3]}, static_cast<int>(count)};
}

void Characters::AppendLower(char32_t c, std::string& out) const {
  if (c == kCapitalIWithDot) {
    AppendUtf8(U'i', out);
    AppendUtf8(kDotAbove, out);
  } else {
    const char32_t lower = lower_[c];
    AppendUtf8(lower == 0 ? c : lower, out);
  }
}

bool IsWordCharacter(char32_t c) {
  const auto range = std::upper_bound(
      kWordCharacters.begin(), kWordCharacters.end(), c,
      [](char32_t code_point, const CodePointRange& r) { return code_point < r.first; });
  return range != kWordCharacters.begin() && c <= std::prev(range)->last;
}

}  // namespace text
