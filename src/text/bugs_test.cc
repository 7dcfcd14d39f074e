#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "text/test_cases.h"

// Faults that other servers' and libraries' users reported, one test for each: BugNN is its number
// in docs/bugs.md. Ids are Hugging Face's (tokenizers 0.23.3) unless a test says whose they are.

namespace text {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::SizeIs;
using Ids = std::vector<int32_t>;

Ids TextIds(const char* name, std::string_view text) {
  return Encode(CaseTokenizer(name), text, {.add_special_tokens = false});
}

Ids AllIds(const char* name, std::string_view text, int max_length = 0,
           TruncationSide side = TruncationSide::kRight) {
  return Encode(CaseTokenizer(name), text, {.max_length = max_length, .truncation_side = side});
}

std::string Repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// Ids too many to write down: their number and FNV-1a 64 of their little-endian bytes.
std::pair<std::size_t, uint64_t> Digest(const Ids& ids) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const int32_t id : ids) {
    for (int shift = 0; shift < 32; shift += 8) {
      hash = (hash ^ (static_cast<uint32_t>(id) >> shift & 0xFF)) * 0x100000001B3;
    }
  }
  return {ids.size(), hash};
}

// Hugging Face goes by grapheme clusters; SentencePiece, which takes the longest match, composes:
// the second ids of each are its, and not ours.
TEST(BugsTest, Bug01_DecomposedTextUnderThePrecompiledCharsmap) {
  EXPECT_THAT(TextIds("xlmr", "\u1100\u1161\u11A8"), ElementsAre(6, 244134, 246073, 3));
  EXPECT_THAT(TextIds("xlmr", "\uAC01"), ElementsAre(27716));
  EXPECT_THAT(TextIds("xlmr", "a\u0306\u0301"), ElementsAre(6, 451)) << "the acute is lost";
  EXPECT_THAT(TextIds("xlmr", "\u1EAF"), ElementsAre(6, 249990));
}

TEST(BugsTest, Bug02_EqualScoresInTheLattice) {
  EXPECT_THAT(
      TextIds("xlmr", R"(=LLC-s nmrcsss mtiaiol!@"ccc technooay @"ccc"@"ccc)"),
      ElementsAre(2203, 23708, 441, 9, 7, 653, 39, 19437, 7, 7, 7, 347, 4526, 34837, 38, 981, 58,
                  238, 10060, 128500, 31, 3337, 1374, 58, 238, 10060, 58, 981, 58, 238, 10060));
}

TEST(BugsTest, Bug03_ASpaceThatNormalizingMakesIsASpace) {
  EXPECT_THAT(
      TextIds("xlmr", "\u1F10\u03BD\u03B8\u03AC\u03B4\u1FBD \u1F35\u03BE\u03BF\u03BC\u03B1\u03B9"),
      ElementsAre(148385, 1598, 3431, 162709, 6, 244403, 6, 247565, 13383, 70878));
}

TEST(BugsTest, Bug04_BidirectionalMarksFollowTheCharsmap) {
  const Ids plain = TextIds("xlmr", "مرحبا بالعالم اليوم");
  EXPECT_THAT(plain, ElementsAre(665, 193478, 258, 1705, 77796, 7089));
  EXPECT_EQ(TextIds("xlmr", "مرحبا \u200Fبالعالم اليوم"), plain);
  EXPECT_THAT(TextIds("xlmr", "مرحبا \u061Cبالعالم اليوم"),
              ElementsAre(665, 193478, 258, 6, 3, 37203, 77796, 7089));
}

TEST(BugsTest, Bug05_RunsOfSpacesAndLineBreaks) {
  for (const char* text : {"a b", "a  b", "a\n\nb", "a\r\nb", "a\tb", " a b ", "\na b\n"}) {
    EXPECT_THAT(TextIds("xlmr", text), ElementsAre(10, 876)) << text;
    EXPECT_THAT(TextIds("bert", text), ElementsAre(1037, 1038)) << text;
  }
  EXPECT_THAT(TextIds("xlmr", "a\u2581b"), ElementsAre(10, 876)) << "its own mark of a space";
  EXPECT_THAT(TextIds("qwen3", "a b"), ElementsAre(64, 293));
  EXPECT_THAT(TextIds("qwen3", "a  b"), ElementsAre(64, 220, 293));
  EXPECT_THAT(TextIds("qwen3", "a\n\nb"), ElementsAre(64, 271, 65));
  EXPECT_THAT(TextIds("qwen3", "a\r\nb"), ElementsAre(64, 319, 65));
  EXPECT_THAT(TextIds("qwen3", "a\tb"), ElementsAre(64, 2233));
  EXPECT_THAT(TextIds("qwen3", " a b "), ElementsAre(264, 293, 220));
}

TEST(BugsTest, Bug06_NulInsideTheText) {
  const std::string_view text("hello\0world", 11);
  EXPECT_THAT(TextIds("bert", text), ElementsAre(7592, 11108)) << "dropped: as helloworld";
  EXPECT_THAT(TextIds("qwen3", text), ElementsAre(14990, 188, 14615));
  EXPECT_THAT(TextIds("xlmr", text), ElementsAre(33600, 31, 3, 32554));
}

TEST(BugsTest, Bug07_ControlTokensTypedByTheUser) {
  constexpr std::string_view kText = "<s> help ! </s>";
  EXPECT_THAT(AllIds("xlmr", kText), ElementsAre(0, 0, 4358, 711, 2, 2));
  EXPECT_THAT(TextIds("xlmr", "a<s>b"), ElementsAre(10, 0, 876)) << "b begins a word";
  EXPECT_THAT(TextIds("xlmr", "a<S>b"), ElementsAre(10, 16093, 294, 2740, 275));
  EXPECT_THAT(TextIds("xlmr", "a <mask> b"), ElementsAre(10, 250001, 876));
  const Ids plain = Encode(CaseTokenizer("xlmr"), kText, {.match_special_tokens = false});
  // The library's too: the pieces <s> and </s> are in the vocabulary all the same.
  EXPECT_THAT(plain, ElementsAre(0, 6, 0, 4358, 711, 6, 2, 2));
}

TEST(BugsTest, Bug08_AddedTokensThatAreNormalized) {
  const auto token = [](int id, const char* content) {
    return nlohmann::json{
        {"id", id},        {"content", content}, {"special", true},     {"normalized", true},
        {"lstrip", false}, {"rstrip", false},    {"single_word", false}};
  };
  nlohmann::json file = nlohmann::json::parse(R"({
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Prepend", "prepend": "▁"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
    "model": {"type": "BPE", "unk_token": "<unk>", "merges": [], "vocab":
      {"<unk>": 0, "▁": 1, "<": 2, "|": 3, "你": 4, "好": 5, "\n": 6, "user": 7}}})");
  file["added_tokens"] = {token(8, "<|user|>"), token(9, "<|assistant|>")};
  const auto tokenizer = Tokenizer::FromJson(file.dump());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
  // In their normal form, which begins with the space that is put in front of any text.
  EXPECT_THAT(Encode(**tokenizer, " <|user|>\n你好 <|assistant|>\n"),
              ElementsAre(1, 8, 6, 4, 5, 9, 6));
  EXPECT_THAT(Encode(**tokenizer, "<|user|>\n你好<|assistant|>\n"),
              ElementsAre(8, 6, 4, 5, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 6));
}

TEST(BugsTest, Bug09_AccentsAreStrippedAsTheFileSays) {
  constexpr const char* kWords[] = {"schön", "größe", "café", "naïve", "müller"};
  const Ids stripped[] = {{8040, 8747}, {24665, 2080, 17499}, {7668}, {15743}, {12304}};
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    EXPECT_EQ(TextIds("bert", kWords[i]), stripped[i]) << "null, lowercase";
    EXPECT_EQ(TextIds("bert-cased-strip-accents", kWords[i]), stripped[i]) << "true, cased";
    // No piece of this vocabulary has accents.
    EXPECT_THAT(TextIds("bert-cased", kWords[i]), ElementsAre(100)) << "null, cased";
    EXPECT_THAT(TextIds("bert-lower-keep-accents", kWords[i]), ElementsAre(100)) << "false";
  }
}

TEST(BugsTest, Bug10_VoicingMarksAreAccents) {
  EXPECT_THAT(TextIds("bert", "ザ"), ElementsAre(1705));
  EXPECT_EQ(TextIds("bert", "サ"), TextIds("bert", "ザ"));
  EXPECT_THAT(TextIds("bert", "で"), ElementsAre(1665));
  EXPECT_THAT(TextIds("bert", "ガダガナダワー"),
              ElementsAre(1700, 30235, 30226, 30241, 30235, 30262, 30265));
}

TEST(BugsTest, Bug11_WordsOfMoreThanAHundredCharacters) {
  EXPECT_THAT(TextIds("bert", Repeated("Hello", 20)), SizeIs(30));
  EXPECT_THAT(TextIds("bert", Repeated("Hello", 26)), ElementsAre(100));
  EXPECT_THAT(TextIds("bert", Repeated("\u00E9", 100)), SizeIs(testing::Gt(1u)))
      << "100 characters once normalized, though 200 bytes before";
  EXPECT_THAT(TextIds("bert", Repeated("SGVsbG8gV29ybGQh", 7)), ElementsAre(100));
}

TEST(BugsTest, Bug12_LongRunsOfMarks) {
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5C7},   {0x610, 0x61A},    {0x64B, 0x65F},
      {0x93C, 0x94D},   {0xE31, 0xE4E},   {0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF},  {0x20D0, 0x20F0},
      {0x302A, 0x302F}, {0x3099, 0x309A}, {0xFE20, 0xFE2F}, {0x1D165, 0x1D172}};
  std::string marks;
  for (const auto& [first, last] : kRanges) {
    for (char32_t c = first; c <= last; ++c) AppendUtf8(c, marks);
  }
  const std::string text = "[^" + marks + "]e" + marks;
  EXPECT_EQ(Digest(TextIds("bert", text)), (std::pair(15ul, 0xD45E2C76D5979B85ul)));
  EXPECT_EQ(Digest(TextIds("qwen3", text)), (std::pair(1846ul, 0x6D371453531406EBul)));
  EXPECT_EQ(Digest(TextIds("xlmr", text)), (std::pair(370ul, 0x3819F052A423CCCFul)));
}

TEST(BugsTest, Bug13_OffsetsAreCodePoints) {
  Scratch scratch;
  const auto encoding =
      CaseTokenizer("bert").EncodeInDetail("北京天安门", std::nullopt, {}, scratch);
  ASSERT_TRUE(encoding.ok());
  EXPECT_THAT(encoding->ids, ElementsAre(101, 1781, 1755, 1811, 1820, 100, 102));
  using Offset = Encoding::Offset;
  EXPECT_THAT(encoding->offsets, ElementsAre(Offset{0, 0}, Offset{0, 1}, Offset{1, 2}, Offset{2, 3},
                                             Offset{3, 4}, Offset{4, 5}, Offset{0, 0}));
}

// They cannot be written in UTF-8, and what would be them is refused before a tokenizer sees it.
TEST(BugsTest, Bug14_LoneSurrogates) {
  for (const char* text : {"\xED\xA0\x80", "x\xED\xB0\x80y", "\xED\xB1\x8D\xED\xA0\xBD"}) {
    EXPECT_FALSE(IsValidUtf8(text));
  }
  EXPECT_TRUE(IsValidUtf8("\U0001F44D"));
  EXPECT_THAT(TextIds("qwen3", "\U0001F44D"), ElementsAre(144349));
  EXPECT_THAT(TextIds("xlmr", "\U0001F44D"), ElementsAre(6, 118280));
}

// That the time is linear is for the counts of instructions to tell.
TEST(BugsTest, Bug15_LongRunsOfOneCharacter) {
  const std::string letters = Repeated("a", 100000), dashes = Repeated("-", 32768);
  const std::string marks = Repeated("\u0300", 50000);
  EXPECT_EQ(Digest(TextIds("bert", letters)), (std::pair(1ul, 0xCC9047690BAEB3D1ul)));
  EXPECT_EQ(Digest(TextIds("bert", dashes)), (std::pair(32768ul, 0x374C47C094DF2325ul)));
  EXPECT_THAT(TextIds("bert", marks), IsEmpty());
  EXPECT_EQ(Digest(TextIds("qwen3", letters)), (std::pair(12500ul, 0xC12FF65A1E235C25ul)));
  EXPECT_EQ(Digest(TextIds("qwen3", dashes)), (std::pair(512ul, 0xC9C1656C0515D725ul)));
  EXPECT_EQ(Digest(TextIds("qwen3", marks)), (std::pair(50000ul, 0x39D0A59C7B4B2CA5ul)));
  EXPECT_EQ(Digest(TextIds("xlmr", letters)), (std::pair(20001ul, 0x906307930C8C9C53ul)));
  EXPECT_EQ(Digest(TextIds("xlmr", dashes)), (std::pair(2049ul, 0x511D58509FF9FAD3ul)));
  EXPECT_EQ(Digest(TextIds("xlmr", marks)), (std::pair(50001ul, 0x545D4F0C39BEB2F3ul)));
}

TEST(BugsTest, Bug16_FoldersWithoutATokenizerJson) {
  const std::filesystem::path formats =
      std::filesystem::path(PARTERRE_TEST_DATA) / "tokenizers/formats";
  for (const char* name : {"bert", "xlm-roberta"}) {
    const auto tokenizer = Tokenizer::FromFolder(formats / name);
    EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
  }
  const auto none = Tokenizer::FromFolder(formats);
  EXPECT_TRUE(absl::IsNotFound(none.status())) << none.status();
  EXPECT_THAT(std::string(none.status().message()), testing::HasSubstr("tokenizer.json"));
}

TEST(BugsTest, Bug17_ExactlyTheLengthThatIsAsked) {
  const std::string text = Repeated("Test text ", 1000);
  const Ids whole = AllIds("xlmr", text);
  for (const std::size_t max_length : {511u, 512u, 513u, 514u}) {
    Ids expected(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(max_length - 1));
    expected.push_back(2);
    EXPECT_EQ(AllIds("xlmr", text, static_cast<int>(max_length)), expected);
  }
}

TEST(BugsTest, Bug18_TruncationAndPaddingOfTheFileAreIgnored) {
  ASSERT_THAT(TokenizerJson("bert"), testing::HasSubstr(R"("max_length")"));
  EXPECT_THAT(AllIds("bert", Repeated("a ", 300)), SizeIs(302));
  EXPECT_THAT(AllIds("bert", "a"), SizeIs(3));
}

TEST(BugsTest, Bug21_TheEndTokenSurvivesTruncation) {
  const std::string text = Repeated("word ", 30);
  EXPECT_THAT(AllIds("qwen3", text, 10), SizeIs(10));
  for (int max_length = 1; max_length < 40; ++max_length) {
    EXPECT_EQ(AllIds("qwen3", text, max_length).back(), 151643) << max_length;
  }
}

TEST(BugsTest, Bug22_TheEndTokenIsAppended) {
  EXPECT_THAT(AllIds("qwen3", "test"), ElementsAre(1944, 151643));
}

TEST(BugsTest, Bug23_PairsAreCutOnTheRightAndNotTrimmed) {
  const std::string document = "\n\n  " + Repeated("The giant panda is a bear. ", 120);
  Ids ids, type_ids;
  Scratch scratch;
  const auto count = CaseTokenizer("xlmr").EncodePair("what is panda?", document,
                                                      {.max_length = 512}, scratch, ids, type_ids);
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_GT(*count, 512u);
  EXPECT_EQ(Digest(ids), (std::pair(512ul, 0x28124EC69C788A96ul)));
  EXPECT_THAT(type_ids, testing::Each(0));
  EXPECT_THAT(TextIds("qwen3", "\n\nabc "), ElementsAre(271, 13683, 220));
  EXPECT_THAT(TextIds("qwen3", "abc"), ElementsAre(13683));
}

TEST(BugsTest, Bug24_LeftTruncationKeepsTheTailAndTheEnds) {
  const std::string text = Repeated("one two three ", 200);
  for (const char* name : {"bert", "xlmr"}) {
    const Ids whole = AllIds(name, text);
    Ids expected = {whole.front()};
    expected.insert(expected.end(), whole.end() - 511, whole.end());
    EXPECT_EQ(AllIds(name, text, 512, TruncationSide::kLeft), expected) << name;
  }
}

TEST(BugsTest, Bug50_BlankTexts) {
  for (const char* blank : {"", " ", "   ", "\n"}) {
    EXPECT_THAT(AllIds("bert", blank), ElementsAre(101, 102));
    EXPECT_THAT(AllIds("xlmr", blank), ElementsAre(0, 2));
  }
  EXPECT_THAT(AllIds("qwen3", ""), ElementsAre(151643));
  EXPECT_THAT(AllIds("qwen3", "   "), ElementsAre(262, 151643));
  EXPECT_THAT(AllIds("qwen3", "\n"), ElementsAre(198, 151643));
}

struct KeptOfPair {
  std::size_t first, second;  ///< tokens of the two texts
  TruncationStrategy strategy;
  std::size_t kept_first, kept_second;  ///< both 0: an error
};

TEST(BugsTest, Bug25_PairsAtTheBoundary) {
  constexpr auto kLongest = TruncationStrategy::kLongestFirst;
  constexpr auto kFirst = TruncationStrategy::kOnlyFirst;
  constexpr auto kSecond = TruncationStrategy::kOnlySecond;
  constexpr KeptOfPair kCases[] = {
      {125, 130, kLongest, 62, 63}, {125, 130, kFirst, 0, 0},   {125, 130, kSecond, 0, 0},
      {126, 130, kLongest, 62, 63}, {126, 130, kFirst, 0, 0},   {126, 130, kSecond, 0, 0},
      {124, 124, kLongest, 62, 63}, {124, 124, kFirst, 1, 124}, {124, 124, kSecond, 124, 1},
      {63, 63, kLongest, 62, 63},   {63, 63, kFirst, 62, 63},   {63, 63, kSecond, 63, 62},
      {62, 63, kLongest, 62, 63},   {62, 63, kFirst, 62, 63},   {62, 63, kSecond, 62, 63},
      {200, 62, kLongest, 63, 62},  {200, 62, kFirst, 63, 62},  {200, 62, kSecond, 0, 0},
      {63, 200, kLongest, 62, 63},  {63, 200, kFirst, 0, 0},    {63, 200, kSecond, 63, 62},
      {1, 500, kLongest, 1, 124},   {1, 500, kFirst, 0, 0},     {1, 500, kSecond, 1, 124},
      {0, 510, kLongest, 0, 125},   {0, 510, kFirst, 0, 0},     {0, 510, kSecond, 0, 125},
      {510, 0, kLongest, 125, 0},   {510, 0, kFirst, 125, 0},   {510, 0, kSecond, 0, 0}};
  Scratch scratch;
  for (const auto& [first, second, strategy, kept_first, kept_second] : kCases) {
    SCOPED_TRACE(testing::Message()
                 << first << " and " << second << ", strategy " << static_cast<int>(strategy));
    Ids ids, type_ids;
    const auto count = CaseTokenizer("bert").EncodePair(
        Repeated(",", first), Repeated(".", second),
        {.max_length = 128, .truncation_strategy = strategy}, scratch, ids, type_ids);
    ASSERT_EQ(count.ok(), kept_first + kept_second > 0);
    if (!count.ok()) continue;
    Ids expected = {101};
    expected.insert(expected.end(), kept_first, 1010);
    expected.push_back(102);
    expected.insert(expected.end(), kept_second, 1012);
    expected.push_back(102);
    EXPECT_THAT(ids, ElementsAreArray(expected));
  }
  Ids ids, type_ids;
  ASSERT_TRUE(
      CaseTokenizer("bert").EncodePair("", "", {.max_length = 128}, scratch, ids, type_ids).ok());
  EXPECT_THAT(ids, ElementsAre(101, 102, 102));
}

}  // namespace
}  // namespace text
