#include "text/unicode/characters.h"

#include <algorithm>
#include <span>

#include "text/unicode/hangul.h"
#include "text/unicode/tables.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

// The only code point whose lower case is two: i and a dot above.
constexpr char32_t kCapitalIWithDot = 0x130, kDotAbove = 0x307;

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
