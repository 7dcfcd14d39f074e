#pragma once

#include <cstdint>
#include <string>

#include "text/unicode/code_point_table.h"

namespace text {

/// What the tokenizer's rules ask about a code point: one bit each. The sets are those of Hugging
/// Face `tokenizers`, which mixes Unicode versions; docs/tokenizers.md says which.
enum Trait : uint8_t {
  kRemovedByCleaningTrait = 1 << 0,
  kWhitespaceTrait = 1 << 1,
  kIdeographTrait = 1 << 2,
  kAccentTrait = 1 << 3,       ///< dropped by strip_accents
  kDecomposesTrait = 1 << 4,   ///< NFD changes it; Hangul syllables included
  kReorderedTrait = 1 << 5,    ///< combining class above 0
  kUpperTrait = 1 << 6,        ///< its lower case differs
  kPunctuationTrait = 1 << 7,  ///< stands alone in BertPreTokenizer
};

/// Parts of one canonical decomposition.
struct Parts {
  char32_t parts[4];
  int count;

  const char32_t* begin() const { return parts; }
  const char32_t* end() const { return parts + count; }
};

/// Properties of characters in constant time, expanded from the range tables once per process.
class Characters {
 public:
  static const Characters& Get();

  uint8_t traits(char32_t c) const { return traits_[c]; }
  uint8_t combining_class(char32_t c) const { return combining_class_[c]; }

  /// The full canonical decomposition (Unicode 9.0 data); `c` itself where there is none.
  Parts Decompose(char32_t c) const;

  void AppendLower(char32_t c, std::string& out) const;

 private:
  Characters();

  CodePointTable<uint8_t> traits_;
  CodePointTable<uint8_t> combining_class_;
  CodePointTable<char32_t> lower_;          // 0: itself
  CodePointTable<uint16_t> decomposition_;  // 1 + row of kDecompositions; 0: none
};

/// Whether `c` is a word character (\w) to added tokens with single_word. Logarithmic.
bool IsWordCharacter(char32_t c);

}  // namespace text
