#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "text/test_cases.h"
#include "text/unicode/utf8.h"

// Ids equal to those of Hugging Face tokenizers: the cases checked in, and the whole suite where it
// is there.

namespace text {
namespace {

using Ids = std::vector<int32_t>;

/// The options that a line of truncated texts or pairs asks for.
EncodeOptions OptionsOf(const nlohmann::json& line) {
  EncodeOptions options;
  options.max_length = line.value("max_length", 0);
  if (line.value("side", "right") == "left") options.truncation_side = TruncationSide::kLeft;
  const std::string strategy = line.value("strategy", "longest_first");
  if (strategy == "only_first") options.truncation_strategy = TruncationStrategy::kOnlyFirst;
  if (strategy == "only_second") options.truncation_strategy = TruncationStrategy::kOnlySecond;
  return options;
}

class ConformanceTest : public testing::TestWithParam<const char*> {};

TEST_P(ConformanceTest, GivesTheReferencesIds) {
  const Tokenizer& tokenizer = CaseTokenizer(GetParam());
  for (const auto& folder : CaseFolders()) {
    const auto lines = ReadCaseLines(folder / (std::string(GetParam()) + ".jsonl.gz"));
    std::size_t plain = 0;
    for (const auto& line : lines) {
      const auto text = line["text"].get<std::string>();
      SCOPED_TRACE(line["text"].dump(-1, ' ', true).substr(0, 200));
      ASSERT_EQ(Encode(tokenizer, text), line["ids"].get<Ids>());
      ASSERT_EQ(Encode(tokenizer, text, {.add_special_tokens = false}),
                line["ids_no_special"].get<Ids>());
      if (!line.contains("ids_plain")) continue;
      ++plain;
      ASSERT_EQ(
          Encode(tokenizer, text, {.add_special_tokens = false, .match_special_tokens = false}),
          line["ids_plain"].get<Ids>());
    }
    EXPECT_GT(plain, 0u);
    std::printf("%s: %zu lines of %s\n", GetParam(), lines.size(), folder.c_str());
  }
}

std::string TestName(const testing::TestParamInfo<const char*>& variant) {
  std::string name = variant.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Variants, ConformanceTest,
                         testing::Values("bert", "bert-cased", "bert-lower-keep-accents",
                                         "bert-cased-strip-accents", "bert-no-clean", "qwen3",
                                         "qwen35-split", "xlmr", "xlmr-metaspace"),
                         TestName);

class BaseConformanceTest : public testing::TestWithParam<const char*> {
 protected:
  const Tokenizer& tokenizer() const { return CaseTokenizer(GetParam()); }

  /// Calls check(line) for each line of the parameter's files of a kind.
  template <typename Check>
  void ForEachLine(const std::string& kind, Check check) const {
    const std::string name = std::string(GetParam()) + "-" + kind;
    for (const auto& folder : CaseFolders()) {
      const auto lines = ReadCaseLines(folder / (name + ".jsonl.gz"));
      for (const auto& line : lines) {
        SCOPED_TRACE(line.dump(-1, ' ', true).substr(0, 300));
        check(line);
        if (testing::Test::HasFatalFailure()) return;
      }
      std::printf("%s: %zu lines of %s\n", name.c_str(), lines.size(), folder.c_str());
    }
  }
};

TEST_P(BaseConformanceTest, Truncates) {
  ForEachLine("truncated", [&](const nlohmann::json& line) {
    ASSERT_EQ(Encode(tokenizer(), line["text"].get<std::string>(), OptionsOf(line)),
              line["ids"].get<Ids>());
  });
}

TEST_P(BaseConformanceTest, Pairs) {
  Scratch scratch;
  ForEachLine("pairs", [&](const nlohmann::json& line) {
    const auto query = line["query"].get<std::string>();
    const auto document = line["document"].get<std::string>();
    Ids ids, type_ids;
    const auto count =
        tokenizer().EncodePair(query, document, OptionsOf(line), scratch, ids, type_ids);
    const auto detail = tokenizer().EncodeInDetail(query, document, OptionsOf(line), scratch);
    ASSERT_EQ(count.ok(), !line.contains("error")) << count.status();
    ASSERT_EQ(detail.ok(), count.ok());
    if (!count.ok()) return;
    ASSERT_EQ(ids, line["ids"].get<Ids>());
    ASSERT_EQ(type_ids, line["type_ids"].get<Ids>());
    ASSERT_EQ(detail->ids, ids);
    ASSERT_EQ(detail->type_ids, type_ids);
  });
}

TEST_P(BaseConformanceTest, Offsets) {
  Scratch scratch;
  ForEachLine("offsets", [&](const nlohmann::json& line) {
    const auto encoding =
        tokenizer().EncodeInDetail(line["text"].get<std::string>(), std::nullopt, {}, scratch);
    ASSERT_TRUE(encoding.ok()) << encoding.status();
    ASSERT_EQ(encoding->ids, line["ids"].get<Ids>());
    std::vector<std::pair<uint32_t, uint32_t>> offsets;
    std::vector<std::string> pieces;
    for (const auto& [begin, end] : encoding->offsets) offsets.emplace_back(begin, end);
    // The library shows the text itself where a piece is unknown.
    const auto tokens = line["tokens"].get<std::vector<std::string>>();
    for (const int32_t id : encoding->ids) {
      const std::string piece(tokenizer().PieceOf(id));
      pieces.push_back(piece == "<unk>" ? tokens[pieces.size()] : piece);
    }
    ASSERT_EQ(offsets, (line["offsets"].get<std::vector<std::pair<uint32_t, uint32_t>>>()));
    ASSERT_EQ(pieces, tokens);
    ASSERT_EQ(std::vector<int>(encoding->special.begin(), encoding->special.end()),
              line["special"].get<std::vector<int>>());
  });
}

/// x c y, space, c and space, for each of the 64 code points from `first`.
std::string SweepText(char32_t first) {
  std::string text;
  for (char32_t c = first; c < first + 64; ++c) {
    if (!text.empty()) text += ' ';
    text += 'x';
    AppendUtf8(c, text);
    text += "y ";
    AppendUtf8(c, text);
  }
  return text;
}

uint64_t Fnv1a(const Ids& ids) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const int32_t id : ids) {
    for (int shift = 0; shift < 32; shift += 8) {
      hash = (hash ^ (static_cast<uint32_t>(id) >> shift & 0xFF)) * 0x100000001B3;
    }
  }
  return hash;
}

TEST_P(BaseConformanceTest, KnowsEveryCodePoint) {
  std::istringstream lines(
      ReadCaseFile(CaseFolders()[0] / (std::string(GetParam()) + "-sweep.tsv.gz")));
  uint32_t first = 0;
  std::size_t count = 0;
  int blocks = 0;
  for (std::string hash; lines >> std::hex >> first >> std::dec >> count >> hash; ++blocks) {
    const Ids ids = Encode(tokenizer(), SweepText(first), {.add_special_tokens = false});
    ASSERT_EQ(ids.size(), count) << "block " << std::hex << first;
    ASSERT_EQ(Fnv1a(ids), std::stoull(hash, nullptr, 16)) << "block " << std::hex << first;
  }
  EXPECT_EQ(blocks, 17376);
}

INSTANTIATE_TEST_SUITE_P(Bases, BaseConformanceTest, testing::Values("bert", "qwen3", "xlmr"),
                         TestName);

}  // namespace
}  // namespace text
