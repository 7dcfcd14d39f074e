#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "text/scratch.h"
#include "text/test_cases.h"

namespace text {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

const Tokenizer& Bert() { return CaseTokenizer("bert"); }

constexpr int32_t kUnknown = 100, kCls = 101, kSep = 102;
constexpr EncodeOptions kNoSpecial = {.add_special_tokens = false};

std::string Repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// Words, blanks, ideographs, marks and special tokens, without a blank for long at times.
std::string RandomText(std::mt19937& random, std::size_t pieces) {
  constexpr std::string_view kPieces[] = {
      "the ",   "Tokenization", " ", "\n", "漢字",  "é\u0301", "!",          "[SEP]", "\t",
      "\u302E", "привет ",      "x", "각", "  \n ", "[MASK] ", "unaffable ", "\u200B"};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) {
    const auto piece = kPieces[random() % std::size(kPieces)];
    text += random() % 200 == 0 ? Repeated(piece, random() % 1000) : piece;
  }
  return text;
}

TEST(PipelineTest, ReportsItsNumbers) {
  EXPECT_EQ(Bert().special_tokens(), 2);
  EXPECT_EQ(Bert().vocabulary_size(), 30522);
}

TEST(PipelineTest, AppendsToWhatIsThere) {
  Scratch scratch;
  std::vector<int32_t> ids = {1, 2};
  EXPECT_EQ(Bert().Encode("hello", {}, scratch, ids), 3u);
  EXPECT_THAT(ids, ElementsAre(1, 2, kCls, 7592, kSep));
  EXPECT_EQ(Bert().Encode("", {}, scratch, ids), 2u);
  EXPECT_THAT(ids, ElementsAre(1, 2, kCls, 7592, kSep, kCls, kSep));
}

// A long text is encoded in blocks; its ids are those of its parts between special tokens, which
// are cut here at every place where a block might end.
TEST(PipelineTest, BlocksDoNotShow) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const std::string text = RandomText(random, 4000);
    std::vector<int32_t> expected;
    Scratch scratch;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
      end = std::min(text.find_first_of(" \n", begin + 1), text.size());
      Bert().Encode(std::string_view(text).substr(begin, end - begin), kNoSpecial, scratch,
                    expected);
    }
    ASSERT_EQ(Encode(Bert(), text, kNoSpecial), expected);
  }
}

TEST(PipelineTest, TruncationKeepsAnEndOfAllIds) {
  std::mt19937 random(5);
  Scratch scratch;
  for (int round = 0; round < 300; ++round) {
    const std::string text = RandomText(random, random() % 300);
    const auto all = Encode(Bert(), text, kNoSpecial);
    const auto kept = random() % (all.size() + 3);
    for (const auto side : {TruncationSide::kRight, TruncationSide::kLeft}) {
      std::vector<int32_t> ids;
      const auto count = Bert().Encode(
          text, {.max_length = static_cast<int>(kept + 2), .truncation_side = side}, scratch, ids);
      const auto size = static_cast<std::ptrdiff_t>(std::min(kept, all.size()));
      std::vector<int32_t> expected = {kCls};
      const auto first = side == TruncationSide::kRight ? all.begin() : all.end() - size;
      expected.insert(expected.end(), first, first + size);
      expected.push_back(kSep);
      ASSERT_EQ(ids, expected);
      ASSERT_EQ(count > kept + 2, all.size() > kept);
      if (all.size() <= kept || side == TruncationSide::kLeft) {
        ASSERT_EQ(count, all.size() + 2);
      }
    }
  }
}

TEST(PipelineTest, Bug25_TruncationWithoutRoomForText) {
  Scratch scratch;
  std::vector<int32_t> ids;
  EXPECT_GT(Bert().Encode("hello", {.max_length = 2}, scratch, ids), 2u);
  EXPECT_EQ(Bert().Encode(" ", {.max_length = 2}, scratch, ids), 2u);
  EXPECT_THAT(ids, ElementsAre(kCls, kSep, kCls, kSep));
}

// What was not read did not come to the scratch.
TEST(PipelineTest, TruncationOnTheRightStopsReading) {
  const std::string book = Repeated("It is a truth universally acknowledged. ", 25000);
  Scratch scratch;
  std::vector<int32_t> ids;
  const auto count = Bert().Encode(book, {.max_length = 512}, scratch, ids);
  EXPECT_THAT(ids, SizeIs(512));
  EXPECT_GT(count, 512u);
  EXPECT_LT(count, 600u);
  EXPECT_LT(scratch.buffers().normalized.capacity(), 10000u);
  EXPECT_EQ(Bert().Encode(book, {}, scratch, ids), 7 * 25000 + 2u);
}

// Llama's layout: the whole text is one word to the model.
TEST(PipelineTest, TextsWithoutPreTokenizerAreCutAtSpaceMarks) {
  const auto tokenizer = Tokenizer::FromJson(R"({
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Prepend", "prepend": "▁"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
    "model": {"type": "BPE", "unk_token": "?", "fuse_unk": true,
      "vocab": {"?": 0, "▁": 1, "a": 2, "b": 3, "▁a": 4, "▁▁": 5, "ab": 6, "▁ab": 7, "\n": 8},
      "merges": ["▁ a", "▁ ▁", "a b", "▁a b"]}})");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
  EXPECT_THAT(Encode(**tokenizer, "ab  ab a\nxx yb"), ElementsAre(7, 1, 7, 4, 8, 0, 1, 0, 3));
  const std::string book = Repeated("ab a  b", 100000);
  const auto all = Encode(**tokenizer, book);
  EXPECT_THAT(all, SizeIs(4 * 100000));
  Scratch scratch;
  std::vector<int32_t> ids;
  EXPECT_GT((*tokenizer)->Encode(book, {.max_length = 512}, scratch, ids), 512u);
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), all.begin()));
  EXPECT_LT(scratch.buffers().normalized.capacity(), 20000u);
}

TEST(PipelineTest, Bug08_NormalizedTokensAreFoundInNormalForm) {
  auto json = nlohmann::json::parse(TokenizerJson("bert"));
  EXPECT_THAT(Encode(Bert(), "[SEP] [sep] [SE\u0301P]", kNoSpecial),
              ElementsAre(kSep, 1031, 19802, 1033, 1031, 19802, 1033));
  json["added_tokens"][3]["normalized"] = true;
  const auto tokenizer = Tokenizer::FromJson(json.dump());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
  EXPECT_THAT(Encode(**tokenizer, std::string("[SEP] [sep] [SE\u0301P] [SEP\0]", 26), kNoSpecial),
              ElementsAre(kSep, kSep, kSep, kSep));
}

// Metaspace's "first": what a normalizer drops in front still comes first.
TEST(PipelineTest, DroppedCharactersTakeTheFirstPlace) {
  const auto tokenizer = Tokenizer::FromJson(R"({
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Nmt"}, {"type": "Replace", "pattern": {"String": "  "}, "content": " "}]},
    "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first",
                      "split": true},
    "model": {"type": "Unigram", "unk_id": 0,
              "vocab": [["<unk>", 0], ["\u2581", -1], ["\u2581k", -1], ["k", -1]]}})");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
  Scratch scratch;
  for (const auto& [text, id] : {std::pair("k", 2), {"\x15k", 3}, {"\x15 k", 2}, {"  k", 2}}) {
    EXPECT_THAT(Encode(**tokenizer, text), ElementsAre(id)) << text;
    EXPECT_THAT((*tokenizer)->EncodeInDetail(text, std::nullopt, {}, scratch)->ids,
                ElementsAre(id));
  }
}

// The library's offsets: it does not count characters that are left out.
TEST(PipelineTest, PlacesSlipBehindCharactersThatAreLeftOut) {
  const auto tokenizer = Tokenizer::FromJson(R"({
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Prepend", "prepend": "▁"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
    "model": {"type": "BPE", "unk_token": null, "merges": [["▁", "u"]],
              "vocab": {"▁": 0, "u": 1, "▁u": 2}}})");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
  Scratch scratch;
  const auto encoding = (*tokenizer)->EncodeInDetail("… u", std::nullopt, {}, scratch);
  using Offset = Encoding::Offset;
  EXPECT_THAT(encoding->ids, ElementsAre(0, 2));
  EXPECT_THAT(encoding->offsets, ElementsAre(Offset{0, 1}, Offset{0, 2}));
}

// From public bug reports; bugs_test.cc has them by number.
TEST(PipelineTest, KnownTraps) {
  const auto same = [](std::string_view a, std::string_view b) {
    return Encode(Bert(), a) == Encode(Bert(), b);
  };
  for (const char* blanks : {"a  b", "a\n\nb", "a\r\nb", "a\tb", " a b ", "a\u00A0b"}) {
    EXPECT_TRUE(same(blanks, "a b")) << blanks;
  }
  EXPECT_TRUE(same(std::string_view("hello\0world", 11), "helloworld"));
  EXPECT_FALSE(same(std::string_view("hello\0world", 11), "hello"));
  EXPECT_TRUE(same("\U0001F44D", "\xF0\x9F\x91\x8D"));
  EXPECT_TRUE(same("で", "て"));
  EXPECT_GT(Encode(Bert(), Repeated("Hello", 20), kNoSpecial).size(), 1u) << "100 characters";
  EXPECT_THAT(Encode(Bert(), Repeated("Hello", 26), kNoSpecial), ElementsAre(kUnknown));
  EXPECT_THAT(Encode(Bert(), Repeated("é", 101), kNoSpecial), ElementsAre(kUnknown));
  EXPECT_GT(Encode(Bert(), Repeated("é", 100), kNoSpecial).size(), 1u) << "200 bytes";
}

// A megabyte each; work that grows faster than the text would run into the test's time limit.
TEST(PipelineTest, Bug15_HostileTexts) {
  constexpr std::size_t kMega = 1 << 20;
  const auto ids = [](std::string_view piece) {
    return Encode(Bert(), Repeated(piece, kMega / piece.size()), kNoSpecial);
  };
  EXPECT_THAT(ids("a"), ElementsAre(kUnknown));
  EXPECT_THAT(ids(" "), SizeIs(0));
  EXPECT_THAT(ids("-"), SizeIs(kMega));
  EXPECT_THAT(ids("\u0301"), SizeIs(0));
  EXPECT_THAT(ids("\u302E"), ElementsAre(kUnknown)) << "marks that stay and wait to be ordered";
  EXPECT_THAT(ids("\u302E\U0001D165"), ElementsAre(kUnknown));
  EXPECT_THAT(ids("\u200D"), SizeIs(0));
  EXPECT_THAT(ids("漢"), SizeIs(kMega / 3));
  EXPECT_THAT(ids("각"), ElementsAre(kUnknown));
  EXPECT_THAT(ids("["), SizeIs(kMega));
  EXPECT_THAT(ids("[SEP]"), SizeIs(kMega / 5));
  EXPECT_THAT(ids("[SE"), SizeIs(kMega / 3 * 2));
  EXPECT_THAT(ids(std::string_view("\0", 1)), SizeIs(0));
}

TEST(PipelineTest, HostileWhitespaceAroundTokens) {
  auto json = nlohmann::json::parse(TokenizerJson("bert"));
  for (auto& token : json["added_tokens"]) token["lstrip"] = token["rstrip"] = true;
  const auto tokenizer = Tokenizer::FromJson(json.dump());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
  const std::string blanks(1 << 19, ' ');
  EXPECT_THAT(Encode(**tokenizer, blanks + Repeated("[SEP]  ", 100000) + blanks, kNoSpecial),
              testing::AllOf(SizeIs(100000), Each(kSep)));
}

}  // namespace
}  // namespace text
