#pragma once

#include <cstdint>

#include "text/unicode/code_point_table.h"

namespace text {

/// What pre-tokenizers ask about a code point: one bit each. The sets are those of Hugging Face
/// `tokenizers`, which mixes Unicode versions.
enum Category : uint8_t {
  kLetterCategory = 1 << 0,   ///< \p{L} of a pattern; of letter, number, mark and space at most one
  kNumberCategory = 1 << 1,   ///< \p{N}
  kMarkCategory = 1 << 2,     ///< \p{M}
  kSpaceCategory = 1 << 3,    ///< \s: White_Space
  kNumericCategory = 1 << 4,  ///< what Digits splits at: \p{N} of a later Unicode
  kWordCategory = 1 << 5,     ///< \w to Whitespace and to added tokens
  kPunctuationCategory = 1 << 6,  ///< what Punctuation splits at
  kBreakCategory = 1 << 7,        ///< CR and LF, which are spaces too
};

/// Categories of characters in constant time, expanded from the range tables once per process.
class Categories {
 public:
  static const Categories& Get();

  uint8_t operator[](char32_t c) const { return table_[c]; }

 private:
  Categories();

  CodePointTable<uint8_t> table_;
};

}  // namespace text
