#pragma once

#include <memory>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "common/status.h"
#include "text/patterns/pcre2_handles.h"
#include "text/patterns/regex_scratch.h"

namespace text {

/// Matches a regular expression as Oniguruma would, with PCRE2 (regex_translation.h says what is
/// refused). A search that backtracks without end is given up, the rest of the text taken for one
/// without matches, so that no text can hang a thread. Immutable.
class Regex {
 public:
  /// Errors name pattern and place.
  static absl::StatusOr<Regex> Compile(std::string_view pattern);

  using Visit = absl::FunctionRef<void(std::size_t begin, std::size_t end)>;
  /// Calls `visit` for each match in `text` (not empty), from the left, none overlapping; some may
  /// be empty.
  void ForEachMatch(std::string_view text, RegexScratch& scratch, Visit visit) const;

 private:
  explicit Regex(Pcre2Ptr<pcre2_code> code);

  bool Search(std::string_view text, std::size_t from, pcre2_match_data* data) const;

  Pcre2Ptr<pcre2_code> code_;
  Pcre2Ptr<pcre2_match_context> limits_;
};

}  // namespace text
