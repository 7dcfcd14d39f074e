#include "text/pre_tokenizers/pattern_scanner.h"

#include <array>

#include "common/avx2.h"
#include "text/pre_tokenizers/byte_window.h"
#include "text/pre_tokenizers/pattern_windows.h"
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

/// Where the last character of `text` begins.
std::size_t LastCharacter(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (ContinuesCharacter(text[at])) --at;
  return at;
}

}  // namespace

PatternScanner::PatternScanner(const ScanRules& rules)
    : scanner_(rules),
      split_(common::HasAvx2() ? PatternWindowsAvx2::Split : PatternWindows<ByteWindow>::Split) {}

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
  WordWriter writer(words);
  for (const std::string_view word : scratch.words) split_(scanner_, word, writer);
}

bool PatternScanner::CanCut(std::string_view text, std::size_t at) const {
  const WordScanner::Character behind = scanner_.At(text, at);
  const WordScanner::Character before = scanner_.At(text, LastCharacter(text.substr(0, at)));
  // A word that ends where the text is cut must end there in the first part alone as well: not so
  // where spaces look at what follows them.
  if (scanner_.IsLetter(before)) return !scanner_.IsLetter(behind);
  if (scanner_.IsNumber(before)) {
    return !scanner_.IsNumber(behind) ||
           (!scanner_.rules().is_gpt2 && scanner_.rules().digits_max == 1);
  }
  if (scanner_.IsSpace(before)) {
    return !scanner_.rules().is_gpt2 && scanner_.IsBreak(before) && !scanner_.IsSpace(behind);
  }
  if (scanner_.IsNumber(behind)) return true;
  return scanner_.IsSpace(behind) && (scanner_.rules().is_gpt2 || !scanner_.IsBreak(behind));
}

}  // namespace text
