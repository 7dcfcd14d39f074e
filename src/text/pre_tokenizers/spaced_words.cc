#include "text/pre_tokenizers/spaced_words.h"

namespace text {

void SpacedWords::Split(WorkText& text, PreTokenizerScratch& scratch,
                        std::vector<std::string_view>& words) const {
  // Offsets, a text with a replacement in it, and words of another pre-tokenizer go the long way.
  if (words.size() != 1 || text.sources != nullptr ||
      text.view().find(metaspace_.options().replacement) != std::string_view::npos) {
    whitespace_.Split(text, scratch, words);
    return metaspace_.Split(text, scratch, words);
  }
  const std::string_view whole = words.front();
  words.clear();
  {
    WordWriter writer(words);
    scanner_.ScanSpaced(text.data + (whole.data() - text.data), whole.size(), writer);
  }
  if (!words.empty() && words.front().data() < text.data) {
    --text.data;
    ++text.size;
  }
}

}  // namespace text
