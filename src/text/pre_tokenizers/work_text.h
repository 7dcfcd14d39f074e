#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/normalizers/aligned_text.h"
#include "text/patterns/regex_scratch.h"

namespace text {

/// The normalized text that pre-tokenizers split, and may change in place. In front of it lies one
/// spare byte, which a pre-tokenizer may take; behind it kSlack bytes can be read, so that vector
/// loads need no check of the end.
struct WorkText {
  static constexpr std::size_t kSlack = 64;

  char* data = nullptr;
  std::size_t size = 0;
  /// For each byte what it stands for, sources[-1] being that of the spare byte; null: nobody asks.
  SourceSpan* sources = nullptr;
  /// Whether the text begins where the caller's does: no text and no added token stands before it.
  bool is_first = true;

  std::string_view view() const { return {data, size}; }
};

/// What pre-tokenizers work in, part of the caller's Scratch.
struct PreTokenizerScratch {
  std::vector<std::string_view> words;  ///< the other list, while one is refined into the other
  /// Where a pre-tokenizer that inserts something and finds no room builds the new text (spare byte
  /// and slack included), which WorkText then points to.
  std::string text;
  std::vector<SourceSpan> sources;
  RegexScratch regex;
};

}  // namespace text
