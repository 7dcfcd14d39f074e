#include "text/pre_tokenizers/bert_pre_tokenizer.h"

namespace text {

absl::StatusOr<std::unique_ptr<PreTokenizer>> BertPreTokenizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<BertPreTokenizer>();
}

void BertPreTokenizer::Split(WorkText&, PreTokenizerScratch& scratch,
                             std::vector<std::string_view>& words) const {
  scratch.words.swap(words);
  words.clear();
  WordWriter writer(words);
  for (const std::string_view word : scratch.words) scanner_.Scan(word, writer);
}

}  // namespace text
