#include "text/pre_tokenizers/pattern_scanner.h"

#include <algorithm>
#include <array>
#include <bit>

#include "text/unicode/utf8.h"

namespace text {
namespace {

struct KnownPattern {
  std::string_view pattern;
  ScanRules rules;
};
constexpr std::array kKnownPatterns = {
    // Qwen2, Qwen2.5, Qwen3.
    KnownPattern{R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
                 R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
                 {}},
    // Qwen3.5.
    KnownPattern{R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
                 R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
                 {.marks_are_letters = true}},
    // Llama 3, and cl100k as it is mostly converted.
    KnownPattern{R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                 R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
                 {.digits_max = 3}},
    KnownPattern{R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
                 {.is_gpt2 = true}},
};

/// The first bit of each run.
uint64_t Firsts(uint64_t runs) { return runs & ~(runs << 1); }

uint64_t WithoutLowest(uint64_t bits) { return bits & (bits - 1); }

std::size_t Lowest(uint64_t bits) { return static_cast<std::size_t>(std::countr_zero(bits)); }

/// Where the last character of `text` begins.
std::size_t LastCharacter(std::string_view text) {
  std::size_t at = text.size() - 1;
  while ((text[at] & 0xC0) == 0x80) --at;
  return at;
}

/// Words of one window, appended at once.
class WordBatch {
 public:
  void Add(std::string_view word) { words_[count_++] = word; }
  void AppendTo(std::vector<std::string_view>& words) {
    words.insert(words.end(), words_.data(), words_.data() + count_);
  }

 private:
  std::array<std::string_view, ByteWindow::kBytes + 1> words_;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<PreTokenizer> PatternScanner::For(std::string_view pattern) {
  for (const KnownPattern& known : kKnownPatterns) {
    if (known.pattern == pattern) return std::make_unique<PatternScanner>(known.rules);
  }
  return nullptr;
}

std::unique_ptr<PreTokenizer> PatternScanner::Gpt2() {
  return std::make_unique<PatternScanner>(ScanRules{.is_gpt2 = true});
}

void PatternScanner::Split(WorkText&, PreTokenizerScratch& scratch,
                           std::vector<std::string_view>& words) const {
  scratch.words.swap(words);
  words.clear();
  for (const std::string_view word : scratch.words) SplitWord(word, words);
}

void PatternScanner::SplitWord(std::string_view word, std::vector<std::string_view>& words) const {
  std::size_t begin = 0;
  while (begin < word.size()) {
    const Window window = WindowAt(word, begin);
    // What follows the last character is not known unless the text ends there.
    const uint64_t known = window.ends_text ? LowBits(window.size) : LowBits(window.size) >> 1;
    uint64_t starts =
        (rules_.is_gpt2 ? Gpt2WordStarts(word, begin, window) : WordStarts(word, begin, window)) &
        known & ~uint64_t{1};
    if (starts == 0 && !window.ends_text) {
      const std::size_t end = scanner_.WordEnd(word, begin);
      words.push_back(word.substr(begin, end - begin));
      begin = end;
      continue;
    }
    WordBatch batch;
    const char* const at = word.data() + begin;
    std::size_t done = 0;
    for (; starts != 0; starts = WithoutLowest(starts)) {
      const std::size_t next = Lowest(starts);
      batch.Add({at + done, next - done});
      done = next;
    }
    if (window.ends_text) {
      batch.Add({at + done, window.size - done});
      done = window.size;
    }
    batch.AppendTo(words);
    begin += done;
  }
}

PatternScanner::Window PatternScanner::WindowAt(std::string_view text, std::size_t at) const {
  const ByteWindow bytes(text.data() + at);
  Window window;
  window.size = std::min(text.size() - at, ByteWindow::kBytes);
  window.letters = bytes.AsciiLetters();
  window.numbers = bytes.InRange('0', '9');
  window.space = bytes.Equal(' ');
  window.breaks = bytes.Equal('\n') | bytes.Equal('\r');
  window.blanks = bytes.InRange('\t', '\r') & ~window.breaks;
  window.apostrophes = bytes.Equal('\'');
  if (const uint64_t high = bytes.High() & LowBits(window.size); high != 0) {
    ClassifyBeyondAscii(text, at, bytes, high, window);
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

void PatternScanner::ClassifyBeyondAscii(std::string_view text, std::size_t at,
                                         const ByteWindow& bytes, uint64_t high,
                                         Window& window) const {
  window.size = WholeCharacters(text, at);
  window.continuations = bytes.Continuations();
  window.letters |= high;
  uint64_t leads = high & ~window.continuations & ~LetterLeads(bytes) & LowBits(window.size);
  for (; leads != 0; leads = WithoutLowest(leads)) {
    const std::size_t first = Lowest(leads);
    const WordScanner::Character c = scanner_.At(text, at + first);
    if (scanner_.IsLetter(c)) continue;
    // Rare, and the one kind whose last character would have to be found again.
    if (scanner_.IsSpace(c)) {
      window.size = first;
      return;
    }
    const uint64_t mask = LowBits(c.end - at) & ~LowBits(first);
    window.letters &= ~mask;
    if (scanner_.IsNumber(c)) window.numbers |= mask;
  }
}

// Where words begin, bit by bit from what stands before and, for spaces alone, behind. Letters take
// the character before them along if a word may begin there: a blank before a letter always begins
// one, another character does where nothing of its kind nor a space stands before it.
uint64_t PatternScanner::WordStarts(std::string_view text, std::size_t at, const Window& w) const {
  const uint64_t blanks = w.space | w.blanks, spaces = blanks | w.breaks;
  const uint64_t other_starts = Firsts(w.others) & ~(w.space << 1);
  // The second character of each such run; the sum carries over a first one of several bytes.
  const uint64_t behind_first = (w.continuations + (other_starts << 1)) & ~w.continuations;
  uint64_t starts = other_starts | (Firsts(w.letters) & ~(blanks << 1) & ~behind_first);
  starts |= NumberStarts(w);

  // Line breaks right behind others belong to them: a sum takes whole runs away.
  const uint64_t taken_first = w.breaks & (w.others << 1);
  const uint64_t taken = w.breaks & ~(w.breaks + taken_first);
  starts |= Firsts(spaces & ~taken);
  const uint64_t spaces_behind = spaces >> 1 | (w.ends_text ? ~LowBits(w.size - 1) : 0);
  starts |= blanks & ~spaces_behind;
  // Blanks behind a line break begin a word unless another line break follows them.
  for (uint64_t rest = blanks & (w.breaks << 1); rest != 0; rest = WithoutLowest(rest)) {
    const std::size_t begin = Lowest(rest), end = begin + Lowest(~(blanks >> begin));
    const bool ends_here = end < w.size ? (w.breaks >> end & 1) == 0 : w.ends_text;
    if (ends_here) starts |= uint64_t{1} << begin;
  }

  uint64_t quotes = other_starts & w.apostrophes & (w.letters >> 1);
  for (; quotes != 0; quotes = WithoutLowest(quotes)) {
    const std::size_t quote = Lowest(quotes);
    const std::size_t size = scanner_.ContractionSize(text, at + quote);
    if (size != 0 && quote + size < w.size) starts |= uint64_t{1} << (quote + size);
  }
  return starts;
}

uint64_t PatternScanner::Gpt2WordStarts(std::string_view text, std::size_t at,
                                        const Window& w) const {
  const uint64_t spaces = w.space | w.blanks | w.breaks;
  uint64_t starts = (Firsts(w.others) | Firsts(w.letters) | Firsts(w.numbers)) & ~(w.space << 1);
  starts |= Firsts(spaces);
  const uint64_t spaces_behind = spaces >> 1 | (w.ends_text ? ~LowBits(w.size - 1) : 0);
  starts |= spaces & ~spaces_behind;

  uint64_t quotes = Firsts(w.others) & ~(w.space << 1) & w.apostrophes & (w.letters >> 1);
  for (; quotes != 0; quotes = WithoutLowest(quotes)) {
    const std::size_t quote = Lowest(quotes);
    const std::size_t size = scanner_.ContractionSize(text, at + quote);
    if (size == 0) continue;
    starts &= ~(uint64_t{1} << quote << 1);
    if (quote + size < w.size) starts |= uint64_t{1} << (quote + size);
  }
  return starts;
}

uint64_t PatternScanner::NumberStarts(const Window& w) const {
  const uint64_t each = w.numbers & ~w.continuations;
  if (rules_.digits_max == 1 || each == 0) return each;
  uint64_t starts = 0;
  int count = 0;
  std::size_t end = 0;  // Of the last number.
  for (uint64_t rest = each; rest != 0; rest = WithoutLowest(rest)) {
    const std::size_t at = Lowest(rest);
    if (at != end || count == rules_.digits_max) count = 0;
    if (count++ == 0) starts |= uint64_t{1} << at;
    end = at + 1;
    while (end < w.size && (w.continuations >> end & 1) != 0) ++end;
  }
  return starts;
}

bool PatternScanner::CanCut(std::string_view text, std::size_t at) const {
  const WordScanner::Character behind = scanner_.At(text, at);
  const WordScanner::Character before = scanner_.At(text, LastCharacter(text.substr(0, at)));
  // A word that ends where the text is cut must end there in the first part alone as well: not so
  // where spaces look at what follows them.
  if (scanner_.IsLetter(before)) return !scanner_.IsLetter(behind);
  if (scanner_.IsNumber(before)) {
    return !scanner_.IsNumber(behind) || (!rules_.is_gpt2 && rules_.digits_max == 1);
  }
  if (scanner_.IsSpace(before)) {
    return !rules_.is_gpt2 && before.is_break && !scanner_.IsSpace(behind);
  }
  if (scanner_.IsNumber(behind)) return true;
  return scanner_.IsSpace(behind) && (rules_.is_gpt2 || !behind.is_break);
}

}  // namespace text
