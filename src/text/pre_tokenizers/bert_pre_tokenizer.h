#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/pre_tokenizers/pre_tokenizer.h"
#include "text/pre_tokenizers/run_scanner.h"

namespace text {

/// BertPreTokenizer: words end at whitespace, which is dropped, and at punctuation, each character
/// of which is a word of its own.
class BertPreTokenizer final : public PreTokenizer {
 public:
  static absl::StatusOr<std::unique_ptr<PreTokenizer>> FromJson(const common::JsonView& json);

  void Split(WorkText&, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override {
    scanner_.Split(scratch, words);
  }
  bool CanCut(std::string_view text, std::size_t at) const override {
    return scanner_.CanCut(text, at);
  }

 private:
  RunScanner scanner_{RunScanner::Words::kBesidePunctuation};
};

}  // namespace text
