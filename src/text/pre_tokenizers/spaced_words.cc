#include "text/pre_tokenizers/spaced_words.h"

namespace text {

void SpacedWords::Split(WorkText& text, PreTokenizerScratch& scratch,
                        std::vector<std::string_view>& words) const {
  scratch.words.swap(words);
  words.clear();
  // Offsets, a text with a replacement in it, and words of another pre-tokenizer go the long way.
  const bool is_plain =
      scratch.words.size() == 1 && text.sources == nullptr &&
      text.view().find(metaspace_.options().replacement) == std::string_view::npos;
  for (const std::string_view word : scratch.words) {
    char* const data = text.data + (word.data() - text.data);
    scanner_.ForEachWord(word, [&](std::size_t begin, std::size_t end) {
      if (is_plain) data[static_cast<std::ptrdiff_t>(begin) - 1] = ' ';
      words.emplace_back(data + begin - std::size_t{is_plain}, end - begin + std::size_t{is_plain});
    });
  }
  if (!is_plain) return metaspace_.Split(text, scratch, words);
  if (!words.empty() && words.front().data() < text.data) {
    --text.data;
    ++text.size;
  }
}

}  // namespace text
