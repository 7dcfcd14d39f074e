#include "text/pre_tokenizers/marked_words.h"

namespace text {

void MarkedWords::Split(WorkText&, PreTokenizerScratch& scratch,
                        std::vector<std::string_view>& words) const {
  scratch.words.swap(words);
  words.clear();
  for (const std::string_view whole : scratch.words) {
    std::size_t begin = 0;
    for (std::size_t at = whole.find(mark_); at != std::string_view::npos;
         at = whole.find(mark_, at + mark_.size())) {
      if (at == begin || !CanCut(whole, at)) continue;
      words.push_back(whole.substr(begin, at - begin));
      begin = at;
    }
    words.push_back(whole.substr(begin));
  }
}

bool MarkedWords::CanCut(std::string_view text, std::size_t at) const {
  return text.substr(at).starts_with(mark_) && !text.substr(0, at).ends_with(mark_);
}

}  // namespace text
