#include "text/unicode/grapheme.h"

#include "text/unicode/hangul.h"

namespace text {
namespace {

using enum GraphemeBreak;

// States that remember more than the last character.
constexpr uint8_t kRegionalPair = kGraphemeBreakCount;
constexpr uint8_t kPictographExtend = kRegionalPair + 1;  // \p{ExtPict} Extend*
constexpr uint8_t kPictographZwj = kRegionalPair + 2;     // \p{ExtPict} Extend* ZWJ
constexpr uint8_t kConsonantExtend = kRegionalPair + 3;   // consonant, then marks but no linker
constexpr uint8_t kConsonantLinker = kRegionalPair + 4;   // consonant, then marks with a linker
constexpr uint8_t kStateEnd = kRegionalPair + 5;

constexpr uint8_t StateOf(GraphemeBreak value) { return static_cast<uint8_t>(value); }

constexpr bool IsControl(uint8_t state) {
  return state == StateOf(kCr) || state == StateOf(kLf) || state == StateOf(kControl);
}

constexpr bool IsMark(GraphemeBreak value) {
  return value == kExtend || value == kLinker || value == kBareExtend || value == kZwj ||
         value == kSpacingMark;
}

constexpr bool JoinsHangul(uint8_t state, GraphemeBreak next) {
  if (state == StateOf(kLead)) {
    return next == kLead || next == kVowel || next == kLeadVowel || next == kLeadVowelTrail;
  }
  if (state == StateOf(kLeadVowel) || state == StateOf(kVowel)) {
    return next == kVowel || next == kTrail;
  }
  return (state == StateOf(kLeadVowelTrail) || state == StateOf(kTrail)) && next == kTrail;
}

/// Rules GB3 to GB999; GB1 is the first state.
constexpr bool Begins(uint8_t state, GraphemeBreak next) {
  if (state == StateOf(kCr) && next == kLf) return false;
  if (IsControl(state) || IsControl(StateOf(next))) return true;
  if (IsMark(next) || state == StateOf(kPrepend) || JoinsHangul(state, next)) return false;
  if (next == kConsonant) return state != kConsonantLinker;
  if (next == kPictograph) return state != kPictographZwj;
  if (next == kRegional) return state != StateOf(kRegional);
  return true;
}

constexpr uint8_t Next(uint8_t state, GraphemeBreak next) {
  if (next == kRegional && state == StateOf(kRegional)) return kRegionalPair;
  if (state == StateOf(kPictograph) || state == kPictographExtend || state == kPictographZwj) {
    if (next == kZwj) return state == kPictographZwj ? StateOf(kZwj) : kPictographZwj;
    if (next == kExtend || next == kLinker || next == kBareExtend) {
      return state == kPictographZwj ? StateOf(next) : kPictographExtend;
    }
  }
  if (state == StateOf(kConsonant) || state == kConsonantExtend || state == kConsonantLinker) {
    if (next == kLinker) return kConsonantLinker;
    if (next == kExtend || next == kZwj) {
      return state == kConsonantLinker ? kConsonantLinker : kConsonantExtend;
    }
  }
  return StateOf(next);
}

}  // namespace

constexpr GraphemeCutter::StepTable GraphemeCutter::MakeSteps() {
  StepTable steps{};
  for (uint8_t state = 0; state < kStateEnd; ++state) {
    for (std::size_t i = 0; i < kGraphemeBreakCount; ++i) {
      const auto next = static_cast<GraphemeBreak>(i);
      steps[state][i] = {Next(state, next), text::Begins(state, next)};
    }
  }
  return steps;
}

constinit const GraphemeCutter::StepTable GraphemeCutter::kSteps = GraphemeCutter::MakeSteps();

GraphemeBreak BreakOfSyllable(char32_t syllable) {
  return HasTrail(syllable) ? kLeadVowelTrail : kLeadVowel;
}

}  // namespace text
