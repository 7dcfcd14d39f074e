#include "text/bert_pre_tokenizer.h"

#include "text/unicode/utf8.h"

namespace text {

absl::StatusOr<std::unique_ptr<PreTokenizer>> BertPreTokenizer::FromJson(const JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<BertPreTokenizer>();
}

void BertPreTokenizer::Split(std::string_view text, std::vector<std::string_view>& words) const {
  std::size_t begin = 0, at = 0;
  while (at < text.size()) {
    const std::size_t here = at;
    const uint8_t traits = characters_.traits(DecodeUtf8(text, at));
    if ((traits & (kWhitespaceTrait | kPunctuationTrait)) == 0) continue;
    if (begin < here) words.push_back(text.substr(begin, here - begin));
    if ((traits & kPunctuationTrait) != 0) words.push_back(text.substr(here, at - here));
    begin = at;
  }
  if (begin < at) words.push_back(text.substr(begin));
}

}  // namespace text
