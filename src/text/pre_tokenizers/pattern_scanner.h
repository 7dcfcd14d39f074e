#pragma once

#include <memory>

#include "text/pre_tokenizers/pre_tokenizer.h"
#include "text/pre_tokenizers/word_scanner.h"
#include "text/pre_tokenizers/word_writer.h"

namespace text {

/// Splits as one of the split patterns that most models use does, without a regular expression:
/// 64 bytes at a time are made into masks, one for each kind of character, from which a few
/// operations on bits find where words begin (the idea is simdjson's, arXiv:1902.08318). Where that
/// does not decide, a WordScanner goes on for one word.
class PatternScanner final : public PreTokenizer {
 public:
  explicit PatternScanner(const ScanRules& rules);

  /// A scanner that splits as the matches of `pattern` do; null if there is none.
  static std::unique_ptr<PreTokenizer> For(std::string_view pattern);
  /// GPT-2's, which ByteLevel has inside.
  static std::unique_ptr<PreTokenizer> Gpt2();

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;

 private:
  WordScanner scanner_;
  void (*split_)(const WordScanner& scanner, std::string_view word, WordWriter& words);
};

}  // namespace text
