#pragma once

#include <memory>

#include "text/pre_tokenizers/byte_window.h"
#include "text/pre_tokenizers/pre_tokenizer.h"
#include "text/pre_tokenizers/word_scanner.h"

namespace text {

/// Splits as one of the split patterns that most models use does, without a regular expression:
/// 64 bytes at a time are made into masks, one for each kind of character, from which a few
/// operations on bits find where words begin (the idea is simdjson's, arXiv:1902.08318). Where that
/// does not decide, a WordScanner goes on for one word.
class PatternScanner final : public PreTokenizer {
 public:
  explicit PatternScanner(const ScanRules& rules) : scanner_(rules), rules_(rules) {}

  /// A scanner that splits as the matches of `pattern` do; null if there is none.
  static std::unique_ptr<PreTokenizer> For(std::string_view pattern);
  /// GPT-2's, which ByteLevel has inside.
  static std::unique_ptr<PreTokenizer> Gpt2();

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;

 private:
  /// Masks of up to 64 bytes that begin with a word. A character's bytes all have its bit.
  struct Window {
    std::size_t size = 0;  ///< bytes looked at; a whole number of characters
    bool ends_text = false;
    uint64_t letters = 0, numbers = 0;
    uint64_t space = 0;   ///< U+0020
    uint64_t breaks = 0;  ///< CR and LF
    uint64_t blanks = 0;  ///< other spaces
    uint64_t others = 0;
    uint64_t apostrophes = 0;
    uint64_t continuations = 0;
  };
  Window WindowAt(std::string_view text, std::size_t at) const;
  void ClassifyBeyondAscii(std::string_view text, std::size_t at, const ByteWindow& bytes,
                           uint64_t high, Window& window) const;

  uint64_t WordStarts(std::string_view text, std::size_t at, const Window& window) const;
  uint64_t Gpt2WordStarts(std::string_view text, std::size_t at, const Window& window) const;
  uint64_t NumberStarts(const Window& window) const;

  void SplitWord(std::string_view word, std::vector<std::string_view>& words) const;

  WordScanner scanner_;
  ScanRules rules_;
};

}  // namespace text
