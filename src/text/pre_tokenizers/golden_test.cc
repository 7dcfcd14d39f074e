#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/check.h"
#include "text/golden_lines.h"
#include "text/pre_tokenizers/pre_tokenizer_types.h"
#include "text/pre_tokenizers/split_text.h"

// The library's answers about single pre-tokenizers (scripts/golden_pre_tokenizers.py).

namespace text {
namespace {

struct Case {
  std::string text;
  std::vector<std::string> words;  // As they stand after the pre-tokenizer's form.
  std::vector<SourceSpan> sources;
  std::string trace;
};

/// The library's words have a form that ours are not written in.
std::string InForm(const PieceForm& form, std::string_view word) {
  const auto bytes = form.ToWordBytes(word);
  CHECK(bytes.has_value()) << word;
  return *bytes;
}

std::vector<Case> CasesOf(const nlohmann::json& line, const PieceForm& form) {
  std::vector<Case> cases;
  for (const auto& golden : line.at("cases")) {
    Case& c = cases.emplace_back();
    c.text = golden[0].get<std::string>();
    c.trace = line.at("pre_tokenizer").dump() + " " + golden[0].dump(-1, ' ', true);
    std::vector<uint32_t> places;  // Of the code points, in bytes.
    for (std::size_t at = 0; at < c.text.size(); DecodeUtf8(c.text, at)) {
      places.push_back(static_cast<uint32_t>(at));
    }
    places.push_back(static_cast<uint32_t>(c.text.size()));
    for (std::size_t i = 0; i < golden[1].size(); ++i) {
      const uint32_t begin = places[golden[2][2 * i].get<std::size_t>()];
      const uint32_t end = places[golden[2][2 * i + 1].get<std::size_t>()];
      c.sources.push_back({begin, end});
      c.words.push_back(
          InForm(form, golden[1][i].is_null()
                           ? std::string_view(c.text).substr(begin, end - begin)
                           : std::string_view(golden[1][i].get_ref<const std::string&>())));
    }
  }
  return cases;
}

void CheckWords(const PreTokenizer& pre_tokenizer, const Case& c) {
  EXPECT_EQ(Split(pre_tokenizer, c.text).words, c.words);
  EXPECT_EQ(Split(pre_tokenizer, c.text, false, true, '\n').words, c.words);
}

void CheckOffsets(const PreTokenizer& pre_tokenizer, const Case& c) {
  const SplitText split = Split(pre_tokenizer, c.text, true);
  EXPECT_EQ(split.words, c.words);
  EXPECT_EQ(split.sources, c.sources);
}

/// Returns how many cuts it tried.
std::size_t CheckCuts(const PreTokenizer& pre_tokenizer, const Case& c) {
  const std::string_view text = c.text;
  std::size_t cuts = 0;
  for (std::size_t at = 0; at < text.size(); DecodeUtf8(text, at)) {
    if (at == 0 || !pre_tokenizer.CanCut(text, at)) continue;
    ++cuts;
    auto words = Split(pre_tokenizer, text.substr(0, at)).words;
    const auto rest = Split(pre_tokenizer, text.substr(at), false, false).words;
    words.insert(words.end(), rest.begin(), rest.end());
    EXPECT_EQ(words, c.words) << "cut at " << at;
  }
  return cuts;
}

TEST(PreTokenizersGoldenTest, WordsAndOffsetsAreTheLibrarysHoweverTextsAreCut) {
  std::size_t cases = 0, cuts = 0;
  for (const auto& line : ReadGoldenLines("pre_tokenizers.jsonl.gz")) {
    const auto read = ReadPreTokenizer(common::JsonView(line.at("pre_tokenizer"), "pre_tokenizer"));
    ASSERT_TRUE(read.ok()) << read.status();
    for (const Case& c : CasesOf(line, (*read)->form())) {
      SCOPED_TRACE(c.trace);
      CheckWords(**read, c);
      CheckOffsets(**read, c);
      cuts += CheckCuts(**read, c);
      ASSERT_FALSE(HasFailure());
      ++cases;
    }
  }
  EXPECT_GT(cases, 2000u);
  EXPECT_GT(cuts, 10000u);
}

}  // namespace
}  // namespace text
