#include "text/pre_tokenizers/word_prefix.h"

#include <algorithm>

namespace text {
namespace {

using Wants = absl::FunctionRef<bool(std::string_view word)>;

bool HaveRoom(const std::vector<std::string_view>& words, Wants wants) {
  const char* end = nullptr;  // The spare byte lies before the first.
  for (const std::string_view word : words) {
    if (word.data() == end && wants(word)) return false;
    end = word.data() + word.size();
  }
  return true;
}

void PrefixInPlace(WorkText& text, std::vector<std::string_view>& words, Wants wants) {
  char* const data = text.data;
  for (std::string_view& word : words) {
    if (!wants(word)) continue;
    char* const space = data + (word.data() - data) - 1;
    *space = ' ';
    if (text.sources != nullptr) {
      SourceSpan* const source = text.sources + (space - text.data);
      source[0] = source[1];
    }
    word = {space, word.size() + 1};
    if (space < text.data) {
      --text.data;
      ++text.size;
      if (text.sources != nullptr) --text.sources;
    }
  }
}

void CopyPrefixed(WorkText& text, PreTokenizerScratch& scratch,
                  std::vector<std::string_view>& words, Wants wants) {
  std::size_t size = 0;
  for (const std::string_view word : words) size += word.size() + 1;
  scratch.text.resize(1 + size + WorkText::kSlack);
  if (text.sources != nullptr) scratch.sources.resize(1 + size);
  char* const data = scratch.text.data() + 1;
  std::size_t at = 0;
  for (std::string_view& word : words) {
    const std::size_t begin = at;
    const SourceSpan* const from =
        text.sources == nullptr ? nullptr : text.sources + (word.data() - text.data);
    SourceSpan* const to = from == nullptr ? nullptr : scratch.sources.data() + 1;
    if (wants(word)) {
      if (from != nullptr) to[at] = *from;
      data[at++] = ' ';
    }
    std::copy(word.begin(), word.end(), data + at);
    if (from != nullptr) std::copy_n(from, word.size(), to + at);
    at += word.size();
    word = {data + begin, at - begin};
  }
  text.data = data;
  text.size = at;
  if (text.sources != nullptr) text.sources = scratch.sources.data() + 1;
}

}  // namespace

void PrefixWords(WorkText& text, PreTokenizerScratch& scratch, std::vector<std::string_view>& words,
                 Wants wants) {
  if (HaveRoom(words, wants)) {
    PrefixInPlace(text, words, wants);
  } else {
    CopyPrefixed(text, scratch, words, wants);
  }
}

}  // namespace text
