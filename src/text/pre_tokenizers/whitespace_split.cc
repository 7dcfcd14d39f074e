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
  for (const std::string_view word : scratch.words) {
    scanner_.ForEachWord(word, [&](std::size_t begin, std::size_t end) {
      words.push_back(word.substr(begin, end - begin));
    });
  }
}

}  // namespace text
