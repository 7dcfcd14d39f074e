#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace text {

/// What a character is to the rules for extended grapheme clusters (Unicode Standard Annex 29,
/// Unicode 17.0): its Grapheme_Cluster_Break, refined by what rules GB9c and GB11 ask.
enum class GraphemeBreak : uint8_t {
  kOther,
  kCr,
  kLf,
  kControl,
  kExtend,      ///< Indic_Conjunct_Break Extend
  kLinker,      ///< Indic_Conjunct_Break Linker
  kBareExtend,  ///< Indic_Conjunct_Break None
  kZwj,
  kRegional,
  kPrepend,
  kSpacingMark,
  kLead,
  kVowel,
  kTrail,
  kLeadVowel,
  kLeadVowelTrail,
  kConsonant,   ///< Indic_Conjunct_Break Consonant
  kPictograph,  ///< Extended_Pictographic
};
inline constexpr std::size_t kGraphemeBreakCount = 18;

struct GraphemeBreakRange {
  char32_t first, last;
  GraphemeBreak value;
};
/// All characters but kOther and Hangul syllables, sorted. Generated.
extern const std::span<const GraphemeBreakRange> kGraphemeBreaks;

/// A Hangul syllable's, kLeadVowel or kLeadVowelTrail.
GraphemeBreak BreakOfSyllable(char32_t syllable);

/// Tells where clusters begin: fed with the characters of a text one by one.
class GraphemeCutter {
 public:
  /// Whether a cluster begins with the next character, which is `next`. True for the first.
  bool Begins(GraphemeBreak next) {
    const Step step = kSteps[state_][static_cast<std::size_t>(next)];
    state_ = step.state;
    return step.begins;
  }

 private:
  struct Step {
    uint8_t state;
    bool begins;
  };
  // The state is the last character's GraphemeBreak, or one of the states behind those that
  // remember more than that one character.
  static constexpr std::size_t kStates = kGraphemeBreakCount + 5;
  using StepTable = std::array<std::array<Step, kGraphemeBreakCount>, kStates>;
  static const StepTable kSteps;
  static constexpr StepTable MakeSteps();

  uint8_t state_ = static_cast<uint8_t>(GraphemeBreak::kControl);  // After which all begin.
};

}  // namespace text
