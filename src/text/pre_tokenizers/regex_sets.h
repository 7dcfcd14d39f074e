#pragma once

#include <string>

namespace text {

/// Sets of characters that a pattern can name.
enum class RegexSet { kLetter, kNumber, kMark, kDecimalDigit, kWord, kHexDigit, kSpace };

/// What stands for the set, or for all that it lacks, between the brackets of a PCRE2 class:
/// exactly the code points that Oniguruma has in it as Hugging Face builds it, whatever version of
/// Unicode the installed PCRE2 knows. Costs some milliseconds when first asked for a set.
std::string RegexClassBody(RegexSet set, bool negated);

}  // namespace text
