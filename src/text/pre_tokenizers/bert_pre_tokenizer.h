#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/pre_tokenizers/pre_tokenizer.h"
#include "text/unicode/characters.h"

namespace text {

/// BertPreTokenizer: words end at whitespace, which is dropped, and at punctuation, each character
/// of which is a word of its own.
class BertPreTokenizer final : public PreTokenizer {
 public:
  BertPreTokenizer() : characters_(Characters::Get()) {}

  static absl::StatusOr<std::unique_ptr<PreTokenizer>> FromJson(const common::JsonView& json);

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;

 private:
  void SplitWord(std::string_view word, std::vector<std::string_view>& words) const;

  const Characters& characters_;
};

}  // namespace text
