#pragma once

#include <memory>
#include <string>

#include "text/pre_tokenizers/pre_tokenizer.h"

namespace text {

/// For models that take a whole text as one word (Llama, Gemma): words begin at each run of a mark
/// such as U+2581. No type of tokenizer.json: it may stand where the model tokenizes the parts as
/// it would the whole (Model::KeepsApart), so that words can be remembered and long texts cut.
class MarkedWords final : public PreTokenizer {
 public:
  /// The mark that stands for a space in vocabularies made by SentencePiece.
  static constexpr std::string_view kSpaceMark = "\u2581";

  explicit MarkedWords(std::string_view mark) : mark_(mark) {}

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;

 private:
  const std::string mark_;
};

}  // namespace text
