#pragma once

#include <string_view>

#include "text/pre_tokenizers/scan_rules.h"
#include "text/unicode/categories.h"

namespace text {

/// One word of a split pattern at a time, character by character: the plain body, which the windows
/// of pattern_scanner.h go round wherever they can.
class WordScanner {
 public:
  explicit WordScanner(const ScanRules& rules);

  const ScanRules& rules() const { return rules_; }
  /// Bits of Category that count as letters.
  uint8_t letters() const { return letters_; }

  /// Where the word that begins at `at` ends. Over all words of a text linear in it.
  std::size_t WordEnd(std::string_view text, std::size_t at) const;

  /// Bytes of the contraction ('s 't 're 've 'm 'll 'd) that the apostrophe at `at` begins; 0:
  /// none.
  std::size_t ContractionSize(std::string_view text, std::size_t at) const;

  struct Character {
    uint8_t category = kSpaceCategory;
    std::size_t end = 0;  ///< where the next one begins
  };
  /// The character at `at`; at the end of the text what no run goes on with.
  Character At(std::string_view text, std::size_t at) const;

  bool IsLetter(const Character& c) const { return (c.category & letters_) != 0; }
  bool IsNumber(const Character& c) const { return (c.category & kNumberCategory) != 0; }
  bool IsSpace(const Character& c) const { return (c.category & kSpaceCategory) != 0; }
  bool IsBreak(const Character& c) const { return (c.category & kBreakCategory) != 0; }
  /// Neither letter, number nor space.
  bool IsOther(const Character& c) const {
    return (c.category & (letters_ | kNumberCategory | kSpaceCategory)) == 0;
  }

 private:
  std::size_t Gpt2WordEnd(std::string_view text, std::size_t at) const;
  template <typename Belongs>
  std::size_t RunEnd(std::string_view text, std::size_t at, Belongs belongs) const;
  std::size_t LettersEnd(std::string_view text, std::size_t at) const;
  std::size_t NumbersEnd(std::string_view text, std::size_t at) const;
  std::size_t OthersEnd(std::string_view text, std::size_t at) const;
  std::size_t SpacesEnd(std::string_view text, std::size_t at) const;

  const Categories& categories_;
  ScanRules rules_;
  uint8_t letters_;
};

}  // namespace text
