#pragma once

#include <memory>

#include "text/json_view.h"
#include "text/pre_tokenizer.h"
#include "text/unicode/characters.h"

namespace text {

/// BertPreTokenizer: words end at whitespace, which is dropped, and at punctuation, each character
/// of which is a word of its own.
class BertPreTokenizer final : public PreTokenizer {
 public:
  BertPreTokenizer() : characters_(Characters::Get()) {}

  static absl::StatusOr<std::unique_ptr<PreTokenizer>> FromJson(const JsonView& json);

  void Split(std::string_view text, std::vector<std::string_view>& words) const override;
  bool CutsAtBlanks() const override { return true; }

 private:
  const Characters& characters_;
};

}  // namespace text
