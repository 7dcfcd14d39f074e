#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace text {

/// A pattern for PCRE2.
struct RegexTranslation {
  std::string pattern;
  std::vector<uint32_t> sources;  ///< for each byte: from which byte of the original it comes
};

/// Brings a pattern in Oniguruma's Ruby syntax, which Hugging Face reads, into PCRE2's (options UTF
/// and MULTILINE): classes get the same code points, \b the same words, and what the two read
/// differently is refused with its place: sets inside sets, set intersections, inline flags that
/// are not a group's, possessive counts. What is not known at all is left for PCRE2 to refuse.
/// Left as it is: \p of other names than general categories goes by PCRE2's Unicode, and (?i) folds
/// no character to two.
absl::StatusOr<RegexTranslation> TranslateRegex(std::string_view pattern);

/// An error about byte `at` of `pattern`.
absl::Status RegexError(std::string_view pattern, std::size_t at, std::string_view message);

}  // namespace text
