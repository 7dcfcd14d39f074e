#pragma once

#include "text/pre_tokenizers/category_masks.h"
#include "text/pre_tokenizers/word_writer.h"

namespace text {

/// The loop of RunScanner for one instruction set, that of Bytes.
template <typename Bytes>
class RunWindows {
 public:
  /// `text`: the same bytes as `spaced`, or that is null.
  template <bool kPunctuation>
  static void Scan(std::string_view text, char* spaced, WordWriter& words) {
    const char* begin = nullptr;  // Of a word that goes on into the window; null: none.
    uint64_t may_start = 1;       // Before the window lies what ends words.
    for (std::size_t at = 0; at < text.size();) {
      const Masks masks = MasksAt<kPunctuation>(text, at);
      const uint64_t inside = LowBits(masks.size), ends_words = masks.spaces | masks.alone;
      const uint64_t starts = ~masks.spaces & (masks.alone | ends_words << 1 | may_start) &
                              ~masks.continuations & inside;
      uint64_t ends =
          (~masks.spaces << 1 | uint64_t{begin != nullptr}) & (masks.spaces | starts) & inside;
      const char* const base = text.data() + at;
      const char* begins = base;
      if (spaced != nullptr) {
        WriteSpaces(spaced + at, starts, masks.plain_spaces);
        --begins;
      }
      if (begin != nullptr && ends != 0) {
        words.Add(begin, base + Lowest(ends));
        ends = WithoutLowest(ends);
        begin = nullptr;
      }
      words.AddPairs<Bytes>(begins, starts, base, ends);
      if (Bytes::Count(starts) > Bytes::Count(ends)) begin = begins + Highest(starts);
      may_start = ends_words >> (masks.size - 1) & 1;
      at += masks.size;
    }
    if (begin != nullptr) words.Add(begin, text.data() + text.size());
  }

  /// Words begin at each space, and at the beginning of `text`, which is not empty.
  static void ScanAtSpaces(std::string_view text, WordWriter& words) {
    const char* begin = text.data();
    const char* const end = begin + text.size();
    for (const char* base = begin; base < end; base += Bytes::kBytes) {
      uint64_t starts = Bytes(base).Equal(' ') & LowBits(static_cast<std::size_t>(end - base));
      if (base == begin) starts &= ~uint64_t{1};  // Nothing lies before it.
      words.AddBetween<Bytes>(begin, base, starts);
      if (starts != 0) begin = base + Highest(starts);
    }
    words.Add(begin, end);
  }

 private:
  /// A character's bytes all have its bit.
  struct Masks {
    std::size_t size = 0;       // Bytes looked at; a whole number of characters.
    uint64_t plain_spaces = 0;  // U+0020
    uint64_t spaces = 0;
    uint64_t alone = 0;
    uint64_t continuations = 0;
  };

  template <bool kPunctuation>
  [[gnu::always_inline]] static Masks MasksAt(std::string_view text, std::size_t at) {
    const Bytes bytes(text.data() + at);
    Masks masks;
    masks.size = text.size() - at < Bytes::kBytes ? text.size() - at : Bytes::kBytes;
    masks.plain_spaces = bytes.Equal(' ');
    masks.spaces = masks.plain_spaces | bytes.InRange('\t', '\r');
    if constexpr (kPunctuation) {
      masks.alone = bytes.InRange('!', '~') & ~(bytes.AsciiLetters() | bytes.InRange('0', '9'));
    }
    const uint64_t high = bytes.High() & LowBits(masks.size);
    if (high == 0) return masks;
    masks.size = WholeCharacters(text, at);
    const uint64_t firsts = bytes.InRange(0xC0, 0xFF);
    masks.continuations = high & ~firsts;
    // White space beyond ASCII begins with few bytes, and E3 (kana) goes on with 80 where it is
    // one.
    const uint64_t asked = kPunctuation ? firsts & ~LetterLeads(bytes)
                                        : bytes.Equal('\xC2') | bytes.InRange(0xE1, 0xE2) |
                                              (bytes.Equal('\xE3') & bytes.Equal('\x80') >> 1);
    if (const uint64_t leads = asked & LowBits(masks.size); leads != 0) {
      const WordEnds ends = WordEndsOf(text, at, leads);
      masks.spaces |= ends.spaces;
      if constexpr (kPunctuation) masks.alone |= ends.punctuation;
    }
    return masks;
  }

  /// Makes a space of the byte before each of `starts`, most of which are: `plain` says which in
  /// the window; the byte before it is not known.
  [[gnu::always_inline]] static void WriteSpaces(char* base, uint64_t starts, uint64_t plain) {
    for (uint64_t rest = starts & ~(plain << 1); rest != 0; rest = WithoutLowest(rest)) {
      (base + Lowest(rest))[-1] = ' ';
    }
  }
};

/// Instances for AVX2, in a file of that instruction set.
struct RunWindowsAvx2 {
  static void ScanBetweenSpaces(std::string_view text, char* spaced, WordWriter& words);
  static void ScanAtSpaces(std::string_view text, WordWriter& words);
  static void ScanBesidePunctuation(std::string_view text, char* spaced, WordWriter& words);
};

}  // namespace text
