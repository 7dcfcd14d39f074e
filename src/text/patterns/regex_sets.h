#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/unicode/tables.h"

namespace text {

/// A set of characters that a pattern names: exactly the code points that Oniguruma has in it as
/// Hugging Face builds it.
struct RegexSet {
  std::vector<CodePointRange> ranges;
  std::string kin;  ///< PCRE2's name for almost the same, with which it is fast; empty: none
};

/// That of an escape: s, d, w, h. `in_class`: between brackets, where \w is less.
std::optional<RegexSet> RegexSetOfEscape(char lower_letter, bool in_class);
/// That of \p{name}, a general category. Nothing if the name is another's.
std::optional<RegexSet> RegexSetOfProperty(std::string_view name);

/// Whether PCRE2 knows a script of this name, which it takes for the characters of script
/// extensions if it does not stand behind "sc:".
bool IsScriptName(std::string_view name);

/// What stands for the set, or for all that it lacks, between the brackets of a PCRE2 class,
/// whatever version of Unicode the installed PCRE2 knows. Costs some milliseconds.
std::string RegexClassBody(const RegexSet& set, bool negated);

}  // namespace text
