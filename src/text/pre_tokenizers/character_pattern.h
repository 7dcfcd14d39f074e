#pragma once

#include "text/pre_tokenizers/pattern.h"
#include "text/unicode/categories.h"

namespace text {

/// Matches each character of some categories.
class CategoryPattern final : public Pattern {
 public:
  /// `mask`: bits of Category, any of which will do.
  explicit CategoryPattern(uint8_t mask) : categories_(Categories::Get()), mask_(mask) {}

  void ForEachMatch(std::string_view word, PreTokenizerScratch& scratch,
                    Visit visit) const override;
  bool MatchesAt(std::string_view text, std::size_t at) const override;
  bool MatchesBefore(std::string_view text, std::size_t at) const override;

 private:
  const Categories& categories_;
  uint8_t mask_;
};

/// Matches a string, which is not empty.
class StringPattern final : public Pattern {
 public:
  explicit StringPattern(std::string_view string) : string_(string) {}

  void ForEachMatch(std::string_view word, PreTokenizerScratch& scratch,
                    Visit visit) const override;
  bool MatchesAt(std::string_view text, std::size_t at) const override;
  bool MatchesBefore(std::string_view text, std::size_t at) const override;

 private:
  bool IsOneCharacter() const;

  std::string string_;
};

}  // namespace text
