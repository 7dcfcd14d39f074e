#include "text/pre_tokenizers/whitespace_split.h"

namespace text {

absl::StatusOr<std::unique_ptr<PreTokenizer>> WhitespaceSplit::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<WhitespaceSplit>();
}

void WhitespaceSplit::Split(WorkText&, PreTokenizerScratch& scratch,
                            std::vector<std::string_view>& words) const {
  scratch.words.swap(words);
  words.clear();
  WordWriter writer(words);
  for (const std::string_view word : scratch.words) scanner_.Scan(word, writer);
}

}  // namespace text
