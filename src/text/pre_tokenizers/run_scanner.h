#pragma once

#include <bit>
#include <string_view>

#include "text/pre_tokenizers/byte_window.h"
#include "text/unicode/categories.h"

namespace text {

/// Finds runs of characters between whitespace, 64 bytes at a time (see PatternScanner).
class RunScanner {
 public:
  /// Characters of these categories stand alone, each a word of its own.
  explicit RunScanner(uint8_t alone) : categories_(Categories::Get()), alone_(alone) {}

  /// Calls `emit(begin, end)` for each word of `text`, which has kSlack bytes behind it.
  template <typename Emit>
  void ForEachWord(std::string_view text, Emit emit) const;

  /// Whether nothing looks across `at`, neither end of `text`: it lies beside whitespace or a
  /// character that stands alone.
  bool CanCut(std::string_view text, std::size_t at) const;

 private:
  /// A character's bytes all have its bit.
  struct Masks {
    std::size_t size = 0;  ///< bytes looked at; a whole number of characters
    uint64_t spaces = 0;   ///< and what lies beyond the text
    uint64_t alone = 0;
    uint64_t continuations = 0;
  };
  Masks MasksAt(std::string_view text, std::size_t at) const;
  void ClassifyBeyondAscii(std::string_view text, std::size_t at, const ByteWindow& bytes,
                           uint64_t high, Masks& masks) const;
  bool EndsWords(char32_t c) const { return (categories_[c] & (kSpaceCategory | alone_)) != 0; }

  const Categories& categories_;
  uint8_t alone_;
};

template <typename Emit>
void RunScanner::ForEachWord(std::string_view text, Emit emit) const {
  const auto take = [](uint64_t& bits) {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(bits));
    bits &= bits - 1;
    return lowest;
  };
  std::size_t begin = 0;
  bool is_open = false;    // A word goes on into the window, that from `begin` on.
  uint64_t may_start = 1;  // Before the window lies what ends words.
  for (std::size_t at = 0; at < text.size();) {
    const Masks masks = MasksAt(text, at);
    const uint64_t words = ~masks.spaces, inside = LowBits(masks.size);
    const uint64_t ends_words = masks.spaces | masks.alone;
    uint64_t starts =
        words & (masks.alone | ends_words << 1 | may_start) & ~masks.continuations & inside;
    uint64_t ends = (words << 1 | uint64_t{is_open}) & (masks.spaces | starts) & inside;
    if (!is_open && starts != 0) {
      begin = at + take(starts);
      is_open = true;
    }
    while (ends != 0) {
      emit(begin, at + take(ends));
      is_open = starts != 0;
      if (is_open) begin = at + take(starts);
    }
    may_start = ends_words >> (masks.size - 1) & 1;
    at += masks.size;
  }
  if (is_open) emit(begin, text.size());
}

}  // namespace text
