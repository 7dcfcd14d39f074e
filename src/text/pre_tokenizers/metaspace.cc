#include "text/pre_tokenizers/metaspace.h"

#include <fmt/format.h>

#include "text/pre_tokenizers/run_scanner.h"
#include "text/pre_tokenizers/word_prefix.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

absl::StatusOr<Metaspace::Prepend> ReadPrepend(const common::JsonView& json) {
  if (!json.Has("prepend_scheme")) return Metaspace::Prepend::kAlways;
  ASSIGN_OR_RETURN(const common::JsonView member, json.Member("prepend_scheme"));
  ASSIGN_OR_RETURN(const std::string_view name, member.AsString());
  if (name == "always") return Metaspace::Prepend::kAlways;
  if (name == "first") return Metaspace::Prepend::kFirst;
  if (name == "never") return Metaspace::Prepend::kNever;
  return member.Expected("always, first or never");
}

}  // namespace

absl::StatusOr<std::unique_ptr<PreTokenizer>> Metaspace::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys(
      {"type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"}));
  Options options;
  ASSIGN_OR_RETURN(const common::JsonView replacement, json.Member("replacement"));
  ASSIGN_OR_RETURN(options.replacement, replacement.AsString());
  if (CountCodePoints(options.replacement) != 1) return replacement.Expected("one character");
  ASSIGN_OR_RETURN(options.prepend, ReadPrepend(json));
  if (json.Has("split")) {
    ASSIGN_OR_RETURN(options.split, json.Bool("split"));
  }
  // Files of before prepend_scheme. The library refuses false alone, too.
  if (json.Has("add_prefix_space")) {
    ASSIGN_OR_RETURN(const bool prepends, json.Bool("add_prefix_space"));
    if (!prepends && options.prepend != Prepend::kNever) {
      return json.Error("add_prefix_space false needs prepend_scheme \"never\"");
    }
  }
  return std::make_unique<Metaspace>(std::move(options));
}

void Metaspace::Split(WorkText& text, PreTokenizerScratch& scratch,
                      std::vector<std::string_view>& words) const {
  PrefixAll(text, scratch, words);
  const bool is_plain = text.view().find(options_.replacement) == std::string_view::npos;
  if (!options_.split && is_plain) return;
  scratch.words.swap(words);
  words.clear();
  if (options_.split && is_plain) {
    WordWriter writer(words);
    for (const std::string_view word : scratch.words) ScanAtSpaces(word, writer);
    return;
  }
  for (const std::string_view word : scratch.words) {
    if (options_.split) {
      SplitWord(text, word, words);
    } else {
      words.push_back(WriteSpaces(text, word));
    }
  }
}

std::size_t Metaspace::SpaceSize(std::string_view word) const {
  if (word.front() == ' ') return 1;
  return word.starts_with(options_.replacement) ? options_.replacement.size() : 0;
}

void Metaspace::PrefixAll(WorkText& text, PreTokenizerScratch& scratch,
                          std::vector<std::string_view>& words) const {
  const char* const first = text.is_first ? text.data : nullptr;
  switch (options_.prepend) {
    case Prepend::kAlways:
      PrefixWords(text, scratch, words,
                  [&](std::string_view word) { return SpaceSize(word) == 0; });
      break;
    case Prepend::kFirst:
      PrefixWords(text, scratch, words, [&](std::string_view word) {
        return word.data() == first && SpaceSize(word) == 0;
      });
      break;
    case Prepend::kNever:
      break;
  }
}

/// A replacement of several bytes becomes a space in its last one, the others are left out.
void Metaspace::SplitWord(WorkText& text, std::string_view word,
                          std::vector<std::string_view>& words) const {
  std::size_t begin = 0, at = 0;
  while (at < word.size()) {
    const std::size_t size = SpaceSize(word.substr(at));
    if (size == 0) {
      ++at;
      continue;
    }
    if (begin < at) words.push_back(word.substr(begin, at - begin));
    begin = at + size - 1;
    at += size;
    text.data[word.data() + begin - text.data] = ' ';
  }
  if (begin < word.size()) words.push_back(word.substr(begin));
}

std::string_view Metaspace::WriteSpaces(WorkText& text, std::string_view word) const {
  const auto offset = static_cast<std::size_t>(word.data() - text.data);
  std::size_t from = offset, to = offset;
  while (from < offset + word.size()) {
    const std::size_t size = SpaceSize(text.view().substr(from, offset + word.size() - from));
    text.data[to] = size == 0 ? text.data[from] : ' ';
    if (text.sources != nullptr) text.sources[to] = text.sources[from];
    from += size == 0 ? 1 : size;
    ++to;
  }
  return {text.data + offset, to - offset};
}

bool Metaspace::CanCut(std::string_view text, std::size_t at) const {
  return options_.split && SpaceSize(text.substr(at)) != 0;
}

}  // namespace text
