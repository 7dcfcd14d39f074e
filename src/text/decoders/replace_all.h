#pragma once

#include <string>
#include <string_view>

namespace text {

/// `text` with each `from` made `to`. An empty `from` stands before each character and at the end.
std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to);

/// `piece` without the spaces that WordPiece and CTC leave in front of punctuation and the ends of
/// English contractions; "do not" becomes "don't" on the way.
std::string WithoutSpaces(std::string piece);

}  // namespace text
