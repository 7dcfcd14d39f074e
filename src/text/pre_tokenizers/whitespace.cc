#include "text/pre_tokenizers/whitespace.h"

#include "text/unicode/utf8.h"

namespace text {

absl::StatusOr<std::unique_ptr<PreTokenizer>> Whitespace::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<Whitespace>();
}

void Whitespace::Split(WorkText&, PreTokenizerScratch& scratch,
                       std::vector<std::string_view>& words) const {
  scratch.words.swap(words);
  words.clear();
  for (const std::string_view word : scratch.words) SplitWord(word, words);
}

void Whitespace::SplitWord(std::string_view word, std::vector<std::string_view>& words) const {
  std::size_t begin = 0;
  uint8_t kind = kSpaceCategory;
  const auto end_word = [&](std::size_t end) {
    if (kind != kSpaceCategory) words.push_back(word.substr(begin, end - begin));
    begin = end;
  };
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t here = at;
    const uint8_t next = KindOf(DecodeUtf8(word, at));
    if (next == kind) continue;
    end_word(here);
    kind = next;
  }
  end_word(word.size());
}

bool Whitespace::CanCut(std::string_view text, std::size_t at) const {
  const uint8_t before = KindOf(LastCodePoint(text.substr(0, at)));
  const uint8_t behind = KindOf(DecodeUtf8(text, at));
  return before != behind || before == kSpaceCategory;
}

}  // namespace text
