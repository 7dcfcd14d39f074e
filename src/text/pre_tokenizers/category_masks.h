#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace text {

/// Characters in a window of 64 bytes; a character's bytes all have its bit.
struct NotLetters {
  uint64_t all = 0;
  uint64_t numbers = 0;
  std::size_t size = 64;  ///< bytes up to the first space; what follows was not looked at
};
struct WordEnds {
  uint64_t spaces = 0, punctuation = 0;
};

/// Of the characters whose first bytes `leads` names in the window from `at` on, in which they lie,
/// those that are in none of the categories `letters`.
NotLetters NotLettersOf(std::string_view text, std::size_t at, uint64_t leads, uint8_t letters);

/// Those that are spaces or punctuation.
WordEnds WordEndsOf(std::string_view text, std::size_t at, uint64_t leads);

/// Bytes of the window from `at` on that lie in `text` and belong to whole characters.
std::size_t WholeCharacters(std::string_view text, std::size_t at);

}  // namespace text
