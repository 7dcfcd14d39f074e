#include <gtest/gtest.h>

#include "text/decoders/decoder_types.h"
#include "text/golden_lines.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

absl::StatusOr<std::unique_ptr<Decoder>> Read(std::string_view json) {
  const auto document = nlohmann::json::parse(json);
  return ReadDecoder(common::JsonView(document, "tokenizer.json"));
}

std::string Decoded(const Decoder& decoder, std::vector<std::string> pieces) {
  decoder.Decode(pieces);
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

// The library's answers (scripts/golden_text_parts.py).
TEST(DecodersGoldenTest, TextsAreTheLibrarys) {
  std::size_t cases = 0;
  for (const auto& line : ReadGoldenLines("decoders.jsonl.gz")) {
    const auto decoder = ReadDecoder(common::JsonView(line.at("decoder"), "decoder"));
    ASSERT_TRUE(decoder.ok()) << decoder.status().message();
    for (const auto& golden : line.at("cases")) {
      ASSERT_EQ(Decoded(**decoder, golden[0]), golden[1])
          << line.at("decoder") << " " << golden[0].dump(-1, ' ', true);
      ++cases;
    }
  }
  EXPECT_GT(cases, 1000u);
}

TEST(DecodersTest, NoPiecesAreNoText) {
  for (const auto& line : ReadGoldenLines("decoders.jsonl.gz")) {
    const auto decoder = ReadDecoder(common::JsonView(line.at("decoder"), "decoder"));
    ASSERT_TRUE(decoder.ok());
    EXPECT_EQ(Decoded(**decoder, {}), "") << line.at("decoder");
  }
}

// The library panics here.
TEST(DecodersTest, StripTakesNoMoreThanThereIs) {
  const auto decoder = Read(R"({"type": "Strip", "content": "a", "start": 2, "stop": 2})");
  ASSERT_TRUE(decoder.ok());
  EXPECT_EQ(Decoded(**decoder, {"aaaaa", "aaa", "aa", "a", "", "b"}), "ab");
}

TEST(DecodersTest, ErrorsNameTheKey) {
  const auto message = [](std::string_view json) {
    return std::string(Read(json).status().message());
  };
  EXPECT_EQ(message(R"({"type": "Strip", "content": "ab", "start": 1, "stop": 0})"),
            "tokenizer.json: content: expected one character, got \"ab\"");
  EXPECT_EQ(message(R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "last"})"),
            "tokenizer.json: prepend_scheme: expected \"always\", \"first\" or \"never\", got "
            "\"last\"");
  EXPECT_EQ(message(R"({"type": "Metaspace", "replacement": "_", "add_prefix_space": false})"),
            "tokenizer.json: add_prefix_space false needs prepend_scheme never");
  EXPECT_NE(message(R"({"type": "WordPiece", "prefix": "##"})"), "");
  EXPECT_NE(message(R"({"type": "Fuse", "more": 1})"), "");
}

}  // namespace
}  // namespace text
