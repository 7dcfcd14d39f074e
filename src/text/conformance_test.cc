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

class ConformanceTest : public testing::TestWithParam<const char*> {};

TEST_P(ConformanceTest, GivesTheReferencesIds) {
  const auto tokenizer = BertTokenizer(GetParam());
  for (const auto& folder : CaseFolders()) {
    const auto lines = ReadCaseLines(folder / (std::string(GetParam()) + ".jsonl.gz"));
    std::size_t plain = 0;
    for (const auto& line : lines) {
      const auto text = line["text"].get<std::string>();
      SCOPED_TRACE(line["text"].dump(-1, ' ', true).substr(0, 200));
      ASSERT_EQ(Encode(*tokenizer, text), line["ids"].get<Ids>());
      ASSERT_EQ(Encode(*tokenizer, text, {.add_special_tokens = false}),
                line["ids_no_special"].get<Ids>());
      if (!line.contains("ids_plain")) continue;
      ++plain;
      ASSERT_EQ(
          Encode(*tokenizer, text, {.add_special_tokens = false, .match_special_tokens = false}),
          line["ids_plain"].get<Ids>());
    }
    ASSERT_GT(plain, 0u);
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
                                         "bert-cased-strip-accents", "bert-no-clean"),
                         TestName);

TEST(BertConformanceTest, Truncates) {
  const auto tokenizer = BertTokenizer();
  for (const auto& folder : CaseFolders()) {
    const auto lines = ReadCaseLines(folder / "bert-truncated.jsonl.gz");
    for (const auto& line : lines) {
      SCOPED_TRACE(line.dump(-1, ' ', true).substr(0, 200));
      const auto side = line["side"] == "left" ? TruncationSide::kLeft : TruncationSide::kRight;
      ASSERT_EQ(Encode(*tokenizer, line["text"].get<std::string>(),
                       {.max_length = line["max_length"].get<int>(), .truncation_side = side}),
                line["ids"].get<Ids>());
    }
    std::printf("bert-truncated: %zu lines of %s\n", lines.size(), folder.c_str());
  }
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

TEST(BertConformanceTest, KnowsEveryCodePoint) {
  const auto tokenizer = BertTokenizer();
  std::istringstream lines(ReadCaseFile(CaseFolders()[0] / "bert-sweep.tsv.gz"));
  uint32_t first = 0;
  std::size_t count = 0;
  int blocks = 0;
  for (std::string hash; lines >> std::hex >> first >> std::dec >> count >> hash; ++blocks) {
    const Ids ids = Encode(*tokenizer, SweepText(first), {.add_special_tokens = false});
    ASSERT_EQ(ids.size(), count) << "block " << std::hex << first;
    ASSERT_EQ(Fnv1a(ids), std::stoull(hash, nullptr, 16)) << "block " << std::hex << first;
  }
  EXPECT_EQ(blocks, 17376);
}

}  // namespace
}  // namespace text
