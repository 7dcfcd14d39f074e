#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/pre_tokenizers/pre_tokenizer.h"
#include "text/unicode/categories.h"

namespace text {

/// Whitespace: words are runs of word characters and runs of others, without whitespace:
/// \w+|[^\w\s]+.
class Whitespace final : public PreTokenizer {
 public:
  Whitespace() : categories_(Categories::Get()) {}

  static absl::StatusOr<std::unique_ptr<PreTokenizer>> FromJson(const common::JsonView& json);

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;

 private:
  /// Characters of one kind in a row are a word.
  uint8_t KindOf(char32_t c) const { return categories_[c] & (kWordCategory | kSpaceCategory); }
  void SplitWord(std::string_view word, std::vector<std::string_view>& words) const;

  const Categories& categories_;
};

}  // namespace text
