#include "text/pre_tokenizers/bert_pre_tokenizer.h"

#include "text/unicode/utf8.h"

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
  for (const std::string_view word : scratch.words) SplitWord(word, words);
}

void BertPreTokenizer::SplitWord(std::string_view word,
                                 std::vector<std::string_view>& words) const {
  std::size_t begin = 0, at = 0;
  while (at < word.size()) {
    const std::size_t here = at;
    const uint8_t traits = characters_.traits(DecodeUtf8(word, at));
    if ((traits & (kWhitespaceTrait | kPunctuationTrait)) == 0) continue;
    if (begin < here) words.push_back(word.substr(begin, here - begin));
    if ((traits & kPunctuationTrait) != 0) words.push_back(word.substr(here, at - here));
    begin = at;
  }
  if (begin < at) words.push_back(word.substr(begin));
}

bool BertPreTokenizer::CanCut(std::string_view text, std::size_t at) const {
  constexpr int kEndsWords = kWhitespaceTrait | kPunctuationTrait;
  std::size_t behind = at;
  return (characters_.traits(DecodeUtf8(text, behind)) & kEndsWords) != 0 ||
         (characters_.traits(LastCodePoint(text.substr(0, at))) & kEndsWords) != 0;
}

}  // namespace text
