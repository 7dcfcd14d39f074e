#include "text/normalizers/precompiled_normalizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "absl/strings/escaping.h"
#include "common/json.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

using ::testing::HasSubstr;

nlohmann::json Cases() {
  const auto path =
      std::filesystem::path(PARTERRE_TEST_DATA) / "tokenizers" / "precompiled" / "charsmaps.json";
  auto rows = common::ReadJsonFile(path);
  EXPECT_TRUE(rows.ok()) << rows.status();
  return *std::move(rows);
}

absl::StatusOr<std::unique_ptr<Normalizer>> Read(const nlohmann::json& json) {
  return PrecompiledNormalizer::FromJson(common::JsonView(json, "tokenizer.json"));
}

std::string Normalize(const Normalizer& normalizer, std::string_view text) {
  NormalizerScratch scratch;
  std::string out;
  normalizer.Normalize(text, scratch, out);
  return out;
}

/// Where each character of `aligned` comes from, as the cases have it: places in code points.
nlohmann::json Offsets(const AlignedText& aligned, std::string_view text) {
  nlohmann::json offsets = nlohmann::json::array();
  const std::string_view bytes = aligned.bytes();
  for (std::size_t at = 0; at < bytes.size();) {
    const SourceSpan source = aligned.sources()[at];
    offsets.push_back({CountCodePoints(text.substr(0, source.begin)),
                       CountCodePoints(text.substr(0, source.end))});
    DecodeUtf8(bytes, at);
  }
  return offsets;
}

// What Hugging Face answers for made-up charsmaps
// (tests/data/tokenizers/precompiled/make_cases.py).
TEST(PrecompiledNormalizerTest, Bug01_AgreesWithTheLibrary) {
  for (const nlohmann::json& row : Cases()) {
    const auto normalizer = Read(row["normalizer"]);
    ASSERT_TRUE(normalizer.ok()) << normalizer.status();
    for (const nlohmann::json& entry : row["texts"]) {
      const auto text = entry[0].get<std::string>(), normal = entry[1].get<std::string>();
      EXPECT_EQ(Normalize(**normalizer, text), normal) << entry[0].dump(-1, ' ', true);
      AlignedText aligned(text);
      NormalizerScratch scratch;
      (*normalizer)->NormalizeAligned(aligned, scratch);
      EXPECT_EQ(aligned.bytes(), normal);
      EXPECT_EQ(Offsets(aligned, text), entry[2]) << entry[0].dump(-1, ' ', true);
    }
  }
}

TEST(PrecompiledNormalizerTest, CutsChangeNothing) {
  std::size_t cuts = 0;
  for (const nlohmann::json& row : Cases()) {
    const auto normalizer = Read(row["normalizer"]);
    ASSERT_TRUE(normalizer.ok()) << normalizer.status();
    for (const nlohmann::json& entry : row["texts"]) {
      const auto text = entry[0].get<std::string>();
      for (std::size_t at = 1; at < text.size(); ++at) {
        if (ContinuesCharacter(text[at]) || !(*normalizer)->CanCut(text, at)) continue;
        ++cuts;
        EXPECT_EQ(
            Normalize(**normalizer, text.substr(0, at)) + Normalize(**normalizer, text.substr(at)),
            entry[1].get<std::string>());
      }
    }
  }
  EXPECT_GT(cuts, 100u);
  const auto normalizer = Read(Cases()[0]["normalizer"]);
  ASSERT_TRUE(normalizer.ok());
  EXPECT_TRUE((*normalizer)->CanCut("two words", 3));
  EXPECT_FALSE((*normalizer)->CanCut("\u0600 ", 2)) << "U+0600 takes the next character along";
  EXPECT_FALSE((*normalizer)->CanCut("\r\n", 1));
}

TEST(PrecompiledNormalizerTest, NamesWhatIsWrong) {
  const auto error = [](std::string_view blob) {
    std::string base64 = absl::Base64Escape({blob.data(), blob.size()});
    return std::string(
        Read({{"type", "Precompiled"}, {"precompiled_charsmap", base64}}).status().message());
  };
  EXPECT_THAT(error(""),
              HasSubstr("tokenizer.json: precompiled_charsmap: the charsmap is cut off"));
  EXPECT_THAT(error(std::string("\4\0\0\0\0\0", 6)), HasSubstr("has 4 bytes of 2"));
  EXPECT_THAT(error(std::string("\0\0\0\0", 4)), HasSubstr("has 0 bytes"));
  EXPECT_THAT(error(std::string("\4\0\0\0\0\1\0\0", 8)), HasSubstr("unit 0 leads to no value"));
  EXPECT_THAT(error(std::string("\4\0\0\0\0\0\0\0\x80", 9)), HasSubstr("no UTF-8"));
  const auto status =
      Read({{"type", "Precompiled"}, {"precompiled_charsmap", "no base64!"}}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("expected base64"));
}

// Any blob is refused or works.
TEST(PrecompiledNormalizerTest, SurvivesDamagedCharsmaps) {
  const nlohmann::json row = Cases()[0];
  std::string blob;
  ASSERT_TRUE(absl::Base64Unescape(
      row["normalizer"]["precompiled_charsmap"].get_ref<const std::string&>(), &blob));
  std::mt19937 random(5);
  std::size_t read = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = blob;
    for (int n = static_cast<int>(random() % 40); n >= 0; --n) {
      // Mostly the first units, which are the nodes.
      damaged[random() % std::min<std::size_t>(damaged.size(), 4096)] = static_cast<char>(random());
    }
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    const auto normalizer =
        Read({{"type", "Precompiled"}, {"precompiled_charsmap", absl::Base64Escape(damaged)}});
    if (!normalizer.ok()) continue;
    ++read;
    for (const nlohmann::json& entry : row["texts"]) {
      EXPECT_TRUE(IsValidUtf8(Normalize(**normalizer, entry[0].get<std::string>())));
    }
  }
  EXPECT_GT(read, 10u);
}

}  // namespace
}  // namespace text
