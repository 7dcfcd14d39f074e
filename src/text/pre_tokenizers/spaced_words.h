#pragma once

#include "text/pre_tokenizers/metaspace.h"
#include "text/pre_tokenizers/run_scanner.h"
#include "text/pre_tokenizers/whitespace_split.h"

namespace text {

/// WhitespaceSplit and then Metaspace, which puts a space before each word, in one pass: XLM-R's
/// pair. The whitespace before a word makes room for its space.
class SpacedWords final : public PreTokenizer {
 public:
  /// `metaspace` always prepends, and splits.
  explicit SpacedWords(Metaspace metaspace) : metaspace_(std::move(metaspace)) {}

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override {
    return scanner_.CanCut(text, at);
  }
  PieceForm form() const override { return metaspace_.form(); }

 private:
  RunScanner scanner_{RunScanner::Words::kBetweenSpaces};
  WhitespaceSplit whitespace_;
  Metaspace metaspace_;
};

}  // namespace text
