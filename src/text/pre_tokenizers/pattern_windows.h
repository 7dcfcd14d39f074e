#pragma once

#include "text/pre_tokenizers/category_masks.h"
#include "text/pre_tokenizers/word_scanner.h"
#include "text/pre_tokenizers/word_writer.h"

namespace text {

/// The loop of PatternScanner for one instruction set, that of Bytes.
template <typename Bytes>
class PatternWindows {
 public:
  /// Each window begins with a word, and gives those that end in it for sure.
  static void Split(const WordScanner& scanner, std::string_view word, WordWriter& words) {
    std::size_t begin = 0;
    while (begin < word.size()) {
      const Window window = WindowAt(scanner, word, begin);
      // What follows the last character is not known unless the text ends there.
      const uint64_t known = LowBits(window.size) >> (window.ends_text ? 0 : 1);
      const uint64_t starts =
          (scanner.rules().is_gpt2 ? Gpt2WordStarts(scanner, word, begin, window)
                                   : WordStarts(scanner, word, begin, window)) &
          known & ~uint64_t{1};
      const char* const base = word.data() + begin;
      words.AddBetween<Bytes>(base, base, starts);
      if (starts != 0) begin += Highest(starts);
      if (window.ends_text) {
        words.Add(word.data() + begin, word.data() + word.size());
        return;
      }
      if (starts == 0) {
        const std::size_t end = scanner.WordEnd(word, begin);
        words.Add(base, word.data() + end);
        begin = end;
      }
    }
  }

 private:
  /// A character's bytes all have its bit.
  struct Window {
    std::size_t size = 0;  // Bytes looked at; a whole number of characters.
    bool ends_text = false;
    uint64_t letters = 0, numbers = 0;
    uint64_t space = 0;   // U+0020
    uint64_t breaks = 0;  // CR and LF
    uint64_t blanks = 0;  // Other spaces.
    uint64_t others = 0;
    uint64_t apostrophes = 0;
    uint64_t continuations = 0;
  };

  [[gnu::always_inline]] static Window WindowAt(const WordScanner& scanner, std::string_view text,
                                                std::size_t at) {
    const Bytes bytes(text.data() + at);
    Window window;
    window.size = text.size() - at < Bytes::kBytes ? text.size() - at : Bytes::kBytes;
    window.letters = bytes.AsciiLetters();
    window.numbers = bytes.InRange('0', '9');
    window.space = bytes.Equal(' ');
    window.breaks = bytes.Equal('\n') | bytes.Equal('\r');
    window.blanks = bytes.InRange('\t', '\r') & ~window.breaks;
    window.apostrophes = bytes.Equal('\'');
    if (const uint64_t high = bytes.High() & LowBits(window.size); high != 0) {
      ClassifyBeyondAscii(scanner, text, at, bytes, high, window);
    }
    window.ends_text = at + window.size == text.size();
    const uint64_t inside = LowBits(window.size);
    window.letters &= inside;
    window.numbers &= inside;
    window.space &= inside;
    window.breaks &= inside;
    window.blanks &= inside;
    window.others =
        inside & ~(window.letters | window.numbers | window.space | window.breaks | window.blanks);
    return window;
  }

  static void ClassifyBeyondAscii(const WordScanner& scanner, std::string_view text, std::size_t at,
                                  const Bytes& bytes, uint64_t high, Window& window) {
    window.size = WholeCharacters(text, at);
    const uint64_t firsts = bytes.InRange(0xC0, 0xFF);
    window.continuations = high & ~firsts;
    window.letters |= high;
    const uint64_t leads = firsts & ~LetterLeads(bytes) & LowBits(window.size);
    if (leads == 0) return;
    // Spaces are rare there, and the one kind whose last character would have to be found again.
    const NotLetters found = NotLettersOf(text, at, leads, scanner.letters());
    window.letters &= ~found.all;
    window.numbers |= found.numbers;
    if (found.size < window.size) window.size = found.size;
  }

  // Where words begin, bit by bit from what stands before and, for spaces alone, behind. Letters
  // take the character before them along if a word may begin there: a blank before a letter always
  // begins one, another character does where nothing of its kind nor a space stands before it.
  [[gnu::always_inline]] static uint64_t WordStarts(const WordScanner& scanner,
                                                    std::string_view text, std::size_t at,
                                                    const Window& w) {
    const uint64_t blanks = w.space | w.blanks, spaces = blanks | w.breaks;
    const uint64_t other_starts = Firsts(w.others) & ~(w.space << 1);
    // The second character of each such run; the sum carries over a first one of several bytes.
    const uint64_t behind_first = (w.continuations + (other_starts << 1)) & ~w.continuations;
    uint64_t starts = other_starts | (Firsts(w.letters) & ~(blanks << 1) & ~behind_first);
    starts |= NumberStarts(scanner.rules().digits_max, w);

    // Line breaks right behind others belong to them: a sum takes whole runs away.
    const uint64_t taken = w.breaks & ~(w.breaks + (w.breaks & (w.others << 1)));
    starts |= Firsts(spaces & ~taken);
    starts |= blanks & ~SpacesBehind(w, spaces);
    if (const uint64_t indents = blanks & (w.breaks << 1); indents != 0) {
      starts |= IndentStarts(w, blanks, indents);
    }
    if (const uint64_t quotes = other_starts & w.apostrophes & (w.letters >> 1); quotes != 0) {
      starts |= ContractionEnds(scanner, text, at, quotes);
    }
    return starts;
  }

  [[gnu::always_inline]] static uint64_t Gpt2WordStarts(const WordScanner& scanner,
                                                        std::string_view text, std::size_t at,
                                                        const Window& w) {
    const uint64_t spaces = w.space | w.blanks | w.breaks;
    const uint64_t other_starts = Firsts(w.others) & ~(w.space << 1);
    uint64_t starts = other_starts | ((Firsts(w.letters) | Firsts(w.numbers)) & ~(w.space << 1));
    starts |= Firsts(spaces) | (spaces & ~SpacesBehind(w, spaces));
    for (uint64_t quotes = other_starts & w.apostrophes & (w.letters >> 1); quotes != 0;
         quotes = WithoutLowest(quotes)) {
      const std::size_t quote = Lowest(quotes);
      const std::size_t size = scanner.ContractionSize(text, at + quote);
      if (size == 0) continue;
      starts &= ~(uint64_t{1} << quote << 1);
      starts |= Bit(quote + size);
    }
    return starts;
  }

  /// Bytes before a space, or before the end of the text, which counts for one.
  [[gnu::always_inline]] static uint64_t SpacesBehind(const Window& w, uint64_t spaces) {
    return spaces >> 1 | (w.ends_text ? ~LowBits(w.size - 1) : 0);
  }

  /// Blanks behind a line break begin a word unless they go on to another line break; those that go
  /// on beyond the window are left.
  static uint64_t IndentStarts(const Window& w, uint64_t blanks, uint64_t indents) {
    uint64_t starts = 0;
    for (; indents != 0; indents = WithoutLowest(indents)) {
      const std::size_t begin = Lowest(indents);
      const uint64_t not_blank = ~blanks & ~LowBits(begin);
      const std::size_t end = not_blank == 0 ? 64 : Lowest(not_blank);
      const bool ends_here = end < w.size ? (w.breaks >> end & 1) == 0 : w.ends_text;
      if (ends_here) starts |= Bit(begin);
    }
    return starts;
  }

  /// Behind each contraction that begins at one of `quotes`, as far as the masks go.
  static uint64_t ContractionEnds(const WordScanner& scanner, std::string_view text, std::size_t at,
                                  uint64_t quotes) {
    uint64_t ends = 0;
    for (; quotes != 0; quotes = WithoutLowest(quotes)) {
      const std::size_t quote = Lowest(quotes);
      const std::size_t size = scanner.ContractionSize(text, at + quote);
      if (size != 0) ends |= Bit(quote + size);
    }
    return ends;
  }

  /// None beyond the masks.
  static uint64_t Bit(std::size_t at) { return at < 64 ? uint64_t{1} << at : 0; }

  [[gnu::always_inline]] static uint64_t NumberStarts(int digits_max, const Window& w) {
    const uint64_t each = w.numbers & ~w.continuations;
    return digits_max == 1 || each == 0 ? each : GroupStarts(digits_max, each, w);
  }

  /// Every so manieth of each run of numbers.
  static uint64_t GroupStarts(int digits_max, uint64_t each, const Window& w) {
    uint64_t starts = 0;
    const uint64_t firsts = Firsts(w.numbers);
    for (int count = 0; each != 0; each = WithoutLowest(each), ++count) {
      const uint64_t number = each & (~each + 1);
      if ((number & firsts) != 0 || count == digits_max) count = 0;
      if (count == 0) starts |= number;
    }
    return starts;
  }
};

/// The instance for AVX2, in a file of that instruction set.
struct PatternWindowsAvx2 {
  static void Split(const WordScanner& scanner, std::string_view word, WordWriter& words);
};

}  // namespace text
