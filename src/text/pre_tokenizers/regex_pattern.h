#pragma once

#include "text/patterns/regex.h"
#include "text/pre_tokenizers/pattern.h"

namespace text {

/// Splits at the matches of a regular expression.
class RegexPattern final : public Pattern {
 public:
  explicit RegexPattern(Regex regex) : regex_(std::move(regex)) {}

  void ForEachMatch(std::string_view word, PreTokenizerScratch& scratch,
                    Visit visit) const override {
    regex_.ForEachMatch(word, scratch.regex, visit);
  }
  bool MatchesAt(std::string_view, std::size_t) const override { return false; }
  bool MatchesBefore(std::string_view, std::size_t) const override { return false; }

 private:
  Regex regex_;
};

}  // namespace text
