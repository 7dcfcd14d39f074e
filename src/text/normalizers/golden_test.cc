#include <fmt/format.h>
#include <gtest/gtest.h>

#include "text/golden_lines.h"
#include "text/normalizers/normalizer_types.h"
#include "text/unicode/utf8.h"

// The library's answers about single normalizers (scripts/golden_text_parts.py).

namespace text {
namespace {

std::unique_ptr<Normalizer> NormalizerOf(const nlohmann::json& line) {
  auto normalizer = ReadNormalizer(common::JsonView(line.at("normalizer"), "normalizer"));
  CHECK(normalizer.ok()) << normalizer.status().message();
  return *std::move(normalizer);
}

std::string Normalized(const Normalizer& normalizer, std::string_view text,
                       NormalizerScratch& scratch) {
  std::string out;
  normalizer.Normalize(text, scratch, out);
  return out;
}

std::string NormalizedRest(const Normalizer& normalizer, std::string_view text,
                           NormalizerScratch& scratch) {
  std::string out;
  normalizer.NormalizeRest(text, scratch, out);
  return out;
}

/// For each character the code points [begin, end) of `original` that it stands for.
std::vector<std::size_t> Offsets(const AlignedText& text, std::string_view original) {
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; at < text.bytes().size(); DecodeUtf8(text.bytes(), at)) {
    const auto [begin, end] = text.sources()[at];
    offsets.push_back(CountCodePoints(original.substr(0, begin)));
    offsets.push_back(CountCodePoints(original.substr(0, end)));
  }
  return offsets;
}

TEST(NormalizersGoldenTest, TextsAndAlignmentsAreTheLibrarys) {
  NormalizerScratch scratch;
  std::size_t cases = 0;
  for (const auto& line : ReadGoldenLines("normalizers.jsonl.gz")) {
    if (!line.contains("cases")) continue;
    const auto normalizer = NormalizerOf(line);
    for (const auto& golden : line.at("cases")) {
      const auto& text = golden[0].get_ref<const std::string&>();
      SCOPED_TRACE(line.at("normalizer").dump() + " " + golden[0].dump(-1, ' ', true));
      ASSERT_EQ(Normalized(*normalizer, text, scratch), golden[1]);
      AlignedText aligned(text);
      normalizer->NormalizeAligned(aligned, scratch);
      ASSERT_EQ(aligned.bytes(), golden[1]);
      ASSERT_EQ(Offsets(aligned, text), golden[2]);
      ++cases;
    }
  }
  EXPECT_GT(cases, 1000u);
}

TEST(NormalizersGoldenTest, TextsMayBeCutWhereTheySay) {
  NormalizerScratch scratch;
  std::size_t cuts = 0, places = 0;
  for (const auto& line : ReadGoldenLines("normalizers.jsonl.gz")) {
    if (!line.contains("cases")) continue;
    const auto normalizer = NormalizerOf(line);
    for (const auto& golden : line.at("cases")) {
      const std::string_view text = golden[0].get_ref<const std::string&>();
      const std::string whole = Normalized(*normalizer, text, scratch);
      for (std::size_t at = 0; at < text.size(); DecodeUtf8(text, at)) {
        if (at == 0) continue;
        ++places;
        if (!normalizer->CanCut(text, at)) continue;
        ++cuts;
        ASSERT_EQ(Normalized(*normalizer, text.substr(0, at), scratch) +
                      NormalizedRest(*normalizer, text.substr(at), scratch),
                  whole)
            << line.at("normalizer") << " " << golden[0].dump(-1, ' ', true) << " at " << at;
      }
    }
  }
  EXPECT_GT(cuts, places / 2);
}

std::string Fnv(std::string_view bytes) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  return fmt::format("{:016x}", hash);
}

TEST(NormalizersGoldenTest, EveryCodePoint) {
  constexpr char32_t kBlock = 4096;
  NormalizerScratch scratch;
  std::size_t swept = 0;
  for (const auto& line : ReadGoldenLines("normalizers.jsonl.gz")) {
    if (!line.contains("sweep")) continue;
    const auto normalizer = NormalizerOf(line);
    for (char32_t block = 0; block < 0x110000 / kBlock; ++block) {
      std::string text;
      for (char32_t c = block * kBlock; c < (block + 1) * kBlock; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        text += 'A';
        AppendUtf8(c, text);
        text += 'x';
        AppendUtf8(c, text);
        text += "\u0301 ";
      }
      ASSERT_EQ(Fnv(Normalized(*normalizer, text, scratch)), line.at("sweep")[block])
          << line.at("normalizer") << " from code point " << block * kBlock;
    }
    ++swept;
  }
  EXPECT_GE(swept, 9u);
}

}  // namespace
}  // namespace text
