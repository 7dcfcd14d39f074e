#pragma once

#include <string_view>
#include <vector>

#include "text/pre_tokenizers/word_writer.h"
#include "text/pre_tokenizers/work_text.h"
#include "text/unicode/categories.h"

namespace text {

/// Finds runs of characters between whitespace, 64 bytes at a time (see PatternScanner).
class RunScanner {
 public:
  enum class Words {
    kBetweenSpaces,      ///< words end at whitespace
    kBesidePunctuation,  ///< and at punctuation, each character of which is a word
  };
  explicit RunScanner(Words words);

  /// Writes the words of `text`, which has kSlack bytes behind it.
  void Scan(std::string_view text, WordWriter& words) const { scan_(text, nullptr, words); }

  /// PreTokenizer::Split.
  void Split(PreTokenizerScratch& scratch, std::vector<std::string_view>& words) const;

  /// The same as Scan, each word with the byte before it, which becomes a space; one such byte lies
  /// before `text`. For kBetweenSpaces.
  void ScanSpaced(char* text, std::size_t size, WordWriter& words) const {
    scan_({text, size}, text, words);
  }

  /// Whether nothing looks across `at`, neither end of `text`.
  bool CanCut(std::string_view text, std::size_t at) const;

 private:
  bool EndsWords(char32_t c) const { return (categories_[c] & ends_words_) != 0; }

  const Categories& categories_;
  uint8_t ends_words_;  // Bits of Category.
  void (*scan_)(std::string_view text, char* spaced, WordWriter& words);
};

/// Writes the words of `text`, not empty and with kSlack bytes behind it, that begin at each space
/// and at its beginning.
void ScanAtSpaces(std::string_view text, WordWriter& words);

}  // namespace text
