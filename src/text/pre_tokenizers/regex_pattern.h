#pragma once

#include <memory>

#include "common/status.h"
#include "text/pre_tokenizers/pattern.h"
#include "text/pre_tokenizers/pcre2_handles.h"

namespace text {

/// Matches a regular expression as Oniguruma would, with PCRE2 (regex_translation.h says what is
/// refused). A search that backtracks without end is given up, the rest of the word taken for one
/// without matches, so that no text can hang a thread.
class RegexPattern final : public Pattern {
 public:
  /// Errors name pattern and place.
  static absl::StatusOr<std::unique_ptr<Pattern>> Compile(std::string_view pattern);

  void ForEachMatch(std::string_view word, PreTokenizerScratch& scratch,
                    Visit visit) const override;
  bool MatchesAt(std::string_view, std::size_t) const override { return false; }
  bool MatchesBefore(std::string_view, std::size_t) const override { return false; }

 private:
  explicit RegexPattern(Pcre2Ptr<pcre2_code> code);

  bool Search(std::string_view word, std::size_t from, pcre2_match_data* data) const;

  Pcre2Ptr<pcre2_code> code_;
  Pcre2Ptr<pcre2_match_context> limits_;
};

}  // namespace text
