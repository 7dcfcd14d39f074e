#pragma once

#include <string>
#include <vector>

#include "text/pre_tokenizers/pre_tokenizer.h"
#include "text/unicode/utf8.h"

// For tests: texts as pre-tokenizers get them, and what they make of them.

namespace text {

struct SplitText {
  std::vector<std::string> words;
  std::vector<SourceSpan> sources;  ///< for each word, in bytes of the text
};

/// Splits `text` by `pre_tokenizer`. `around` fills the spare byte and the slack, and must not
/// change anything.
inline SplitText Split(const PreTokenizer& pre_tokenizer, std::string_view text,
                       bool with_sources = false, bool is_first = true, char around = 's') {
  std::string buffer(1, around);
  buffer.append(text).append(WorkText::kSlack, around);
  std::vector<SourceSpan> sources(1);
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = static_cast<uint32_t>(at);
    DecodeUtf8(text, at);
    sources.resize(at + 1, {begin, static_cast<uint32_t>(at)});
  }
  WorkText work{.data = buffer.data() + 1,
                .size = text.size(),
                .sources = with_sources ? sources.data() + 1 : nullptr,
                .is_first = is_first};
  std::vector<std::string_view> words;
  if (!text.empty()) words.push_back(work.view());
  PreTokenizerScratch scratch;
  pre_tokenizer.Split(work, scratch, words);
  SplitText result;
  for (const std::string_view word : words) {
    result.words.emplace_back(word);
    if (!with_sources) continue;
    const SourceSpan* source = work.sources + (word.data() - work.data);
    result.sources.push_back({source[0].begin, source[word.size() - 1].end});
  }
  return result;
}

inline std::vector<std::string> WordsOf(const PreTokenizer& pre_tokenizer, std::string_view text) {
  return Split(pre_tokenizer, text).words;
}

}  // namespace text
