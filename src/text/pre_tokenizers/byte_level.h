#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/pre_tokenizers/pre_tokenizer.h"

namespace text {

/// ByteLevel: a space before each word that has none (add_prefix_space), then GPT-2's split pattern
/// (use_regex). Its characters for bytes are the vocabulary's matter (see PreTokenizer), its
/// trim_offsets the post-processor's.
class ByteLevel final : public PreTokenizer {
 public:
  struct Options {
    bool add_prefix_space = true;
    bool use_regex = true;
  };
  explicit ByteLevel(Options options);

  static absl::StatusOr<std::unique_ptr<PreTokenizer>> FromJson(const common::JsonView& json);

  void Split(WorkText& text, PreTokenizerScratch& scratch,
             std::vector<std::string_view>& words) const override;
  bool CanCut(std::string_view text, std::size_t at) const override;
  PieceForm form() const override { return {.kind = PieceForm::Kind::kByteLevel}; }

 private:
  bool add_prefix_space_;
  std::unique_ptr<PreTokenizer> pattern_;  // Null without use_regex.
};

}  // namespace text
