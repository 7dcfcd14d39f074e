#pragma once

#include <string_view>

#include "absl/functional/function_ref.h"
#include "text/pre_tokenizers/work_text.h"

namespace text {

/// What a splitter looks for in a word. Immutable.
class Pattern {
 public:
  virtual ~Pattern() = default;

  using Visit = absl::FunctionRef<void(std::size_t begin, std::size_t end)>;
  /// Calls `visit` for each match in `word`, from the left, none overlapping; some may be empty.
  virtual void ForEachMatch(std::string_view word, PreTokenizerScratch& scratch,
                            Visit visit) const = 0;

  /// Whether bytes [at, …) of `text` begin with a match, wherever `text` begins and ends. May be
  /// false where that hangs on what lies around.
  virtual bool MatchesAt(std::string_view text, std::size_t at) const = 0;
  /// The same for a match that ends at `at`.
  virtual bool MatchesBefore(std::string_view text, std::size_t at) const = 0;
};

}  // namespace text
