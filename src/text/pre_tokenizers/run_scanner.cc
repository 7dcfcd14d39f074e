#include "text/pre_tokenizers/run_scanner.h"

#include "common/avx2.h"
#include "text/pre_tokenizers/byte_window.h"
#include "text/pre_tokenizers/run_windows.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

using Scan = void (*)(std::string_view text, char* spaced, WordWriter& words);

Scan ScanFor(RunScanner::Words words) {
  if (words == RunScanner::Words::kBetweenSpaces) {
    return common::HasAvx2() ? RunWindowsAvx2::ScanBetweenSpaces
                             : RunWindows<ByteWindow>::Scan<false>;
  }
  return common::HasAvx2() ? RunWindowsAvx2::ScanBesidePunctuation
                           : RunWindows<ByteWindow>::Scan<true>;
}

}  // namespace

RunScanner::RunScanner(Words words)
    : categories_(Categories::Get()),
      ends_words_(words == Words::kBetweenSpaces ? kSpaceCategory
                                                 : kSpaceCategory | kPunctuationCategory),
      scan_(ScanFor(words)) {}

void ScanAtSpaces(std::string_view text, WordWriter& words) {
  common::HasAvx2() ? RunWindowsAvx2::ScanAtSpaces(text, words)
                    : RunWindows<ByteWindow>::ScanAtSpaces(text, words);
}

void RunScanner::Split(PreTokenizerScratch& scratch, std::vector<std::string_view>& words) const {
  scratch.words.swap(words);
  words.clear();
  WordWriter writer(words);
  for (const std::string_view word : scratch.words) Scan(word, writer);
}

bool RunScanner::CanCut(std::string_view text, std::size_t at) const {
  return EndsWords(LastCodePoint(text.substr(0, at))) || EndsWords(DecodeUtf8(text, at));
}

}  // namespace text
