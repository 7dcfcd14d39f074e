#include "text/normalizers/replace_normalizer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "text/normalizers/replace_byte.h"

namespace text {
namespace {

absl::StatusOr<std::unique_ptr<Normalizer>> Read(std::string_view json) {
  const auto document = nlohmann::json::parse(json);
  return ReplaceNormalizer::FromJson(common::JsonView(document, "tokenizer.json"));
}

TEST(ReplaceNormalizerTest, BytesAreReplacedOneByOne) {
  constexpr unsigned kSeed = 3;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (std::size_t size = 0; size < 200; ++size) {
    for (const std::string_view content : {"\u2581", "", "sixteen bytes or"}) {
      std::string text, expected = "before ", out = "before ";
      for (std::size_t i = 0; i < size; ++i) {
        text += random() % (1 + size % 5) == 0 ? ' ' : 'a';
        if (text.back() == ' ') {
          expected += content;
        } else {
          expected += 'a';
        }
      }
      ReplaceByte(text, ' ', content, out);
      ASSERT_EQ(out, expected);
    }
  }
}

TEST(ReplaceNormalizerTest, CutsWhereNoMatchReachesAcross) {
  const auto cuts = [](std::string_view json, std::string_view text, std::size_t at) {
    return (*Read(json))->CanCut(text, at);
  };
  constexpr std::string_view kSpaces =
      R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})";
  EXPECT_TRUE(cuts(kSpaces, "a b", 1));
  EXPECT_FALSE(cuts(kSpaces, "a  b", 2));
  constexpr std::string_view kString =
      R"({"type": "Replace", "pattern": {"String": "aé"}, "content": "x"})";
  EXPECT_TRUE(cuts(kString, "éa", 2));
  // What else a regular expression looks at, nobody knows.
  constexpr std::string_view kRegex =
      R"json({"type": "Replace", "pattern": {"Regex": "(?<=a)x"}, "content": ""})json";
  EXPECT_FALSE(cuts(kRegex, "a b", 1));
  EXPECT_FALSE(cuts(kString, "aé", 1));
}

TEST(ReplaceNormalizerTest, ErrorsNameTheKey) {
  const auto message = [](std::string_view json) {
    return std::string(Read(json).status().message());
  };
  EXPECT_NE(message(R"({"type": "Replace", "pattern": "a", "content": "b"})").find("pattern"),
            std::string::npos);
  EXPECT_NE(message(R"({"type": "Replace", "pattern": {}, "content": "b"})").find("\"Regex\""),
            std::string::npos);
  EXPECT_NE(message(R"({"type": "Replace", "pattern": {"String": "a"}})").find("content"),
            std::string::npos);
  const std::string broken =
      message(R"json({"type": "Replace", "pattern": {"Regex": "a(b"}, "content": ""})json");
  EXPECT_EQ(broken.find("tokenizer.json: pattern.Regex: "), 0u) << broken;
  EXPECT_NE(broken.find("byte 3"), std::string::npos) << broken;
}

}  // namespace
}  // namespace text
