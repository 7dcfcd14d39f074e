#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace text {

/// Categories of characters in a window of 64 bytes; a character's bytes all have its bit.
struct CategoryMasks {
  uint64_t all = 0;  ///< the characters asked about
  uint64_t letters = 0, numbers = 0, marks = 0, spaces = 0, punctuation = 0;
};

/// What the characters are whose first bytes `leads` names in the window from `at` on; they lie
/// inside it.
CategoryMasks MasksOfCharacters(std::string_view text, std::size_t at, uint64_t leads);

/// Bytes of the window from `at` on that lie in `text` and belong to whole characters.
std::size_t WholeCharacters(std::string_view text, std::size_t at);

/// Whether the processor, and the system, run AVX2.
bool HasAvx2();

}  // namespace text
