#include "text/pre_tokenizers/bert_pre_tokenizer.h"

namespace text {

absl::StatusOr<std::unique_ptr<PreTokenizer>> BertPreTokenizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<BertPreTokenizer>();
}

}  // namespace text
