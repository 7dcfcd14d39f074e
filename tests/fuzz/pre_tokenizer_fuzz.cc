#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/check.h"
#include "fuzz_input.h"
#include "text/golden_lines.h"
#include "text/pre_tokenizers/pre_tokenizer_types.h"
#include "text/pre_tokenizers/split_text.h"
#include "text/unicode/utf8.h"

// Any text for any of the pre-tokenizers that tests/data/tokenizers/pre_tokenizers.jsonl.gz
// describes; the first byte says which. Words are well-formed and not empty, stand for places of
// the text in order, and are the same whatever lies around the text and where it is cut.

namespace {

using text::PreTokenizer;

/// Made when it is first asked for.
const PreTokenizer& PreTokenizerOf(uint8_t number) {
  static const auto lines = text::ReadGoldenLines("pre_tokenizers.jsonl.gz");
  static std::vector<std::unique_ptr<PreTokenizer>> pre_tokenizers(lines.size());
  const std::size_t i = number % lines.size();
  if (pre_tokenizers[i] == nullptr) {
    auto read =
        text::ReadPreTokenizer(common::JsonView(lines[i].at("pre_tokenizer"), "pre_tokenizer"));
    CHECK(read.ok()) << read.status();
    pre_tokenizers[i] = *std::move(read);
  }
  return *pre_tokenizers[i];
}

void CheckSources(const text::SplitText& split, std::string_view text) {
  CHECK(split.sources.size() == split.words.size());
  uint32_t before = 0;
  for (const auto& [begin, end] : split.sources) {
    CHECK(before <= begin && begin <= end && end <= text.size()) << begin << ".." << end;
    before = begin;
  }
}

void CheckCuts(const PreTokenizer& pre_tokenizer, std::string_view text,
               const std::vector<std::string>& whole) {
  constexpr int kCutsMax = 16;  // Each costs as much as the text.
  int cuts = 0;
  for (std::size_t at = 0; at < text.size() && cuts < kCutsMax; text::DecodeUtf8(text, at)) {
    if (at == 0 || !pre_tokenizer.CanCut(text, at)) continue;
    ++cuts;
    auto words = Split(pre_tokenizer, text.substr(0, at)).words;
    const auto rest = Split(pre_tokenizer, text.substr(at), false, false).words;
    words.insert(words.end(), rest.begin(), rest.end());
    CHECK(words == whole) << "cut at " << at;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const PreTokenizer& pre_tokenizer = PreTokenizerOf(input.Take<uint8_t>());
  std::string text;
  text::AppendValidUtf8(input.rest(), text);
  const std::vector<std::string> words = Split(pre_tokenizer, text).words;
  for (const std::string& word : words) CHECK(!word.empty() && text::IsValidUtf8(word)) << word;
  CHECK(Split(pre_tokenizer, text, false, true, '\n').words == words);
  const text::SplitText sourced = Split(pre_tokenizer, text, true);
  CHECK(sourced.words == words);
  CheckSources(sourced, text);
  CheckCuts(pre_tokenizer, text, words);
  return 0;
}
