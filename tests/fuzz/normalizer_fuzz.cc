#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/check.h"
#include "fuzz_input.h"
#include "text/golden_lines.h"
#include "text/normalizers/normalizer_types.h"
#include "text/unicode/utf8.h"

// Any text for any of the normalizers that files of tests/data/tokenizers describe; the first byte
// says which. What comes out is well-formed, the same with its alignment, which lies in the text,
// and the same where the text is cut.

namespace {

using text::AlignedText;
using text::Normalizer;
using text::NormalizerScratch;

/// Of each type that there is, and with the charsmaps of some SentencePiece models.
std::vector<nlohmann::json> Descriptions() {
  std::vector<nlohmann::json> descriptions;
  for (const auto& line : text::ReadGoldenLines("normalizers.jsonl.gz")) {
    if (line.contains("cases")) descriptions.push_back(line.at("normalizer"));
  }
  const auto charsmaps = nlohmann::json::parse(
      text::ReadCaseFile(PARTERRE_TEST_DATA "/tokenizers/precompiled/charsmaps.json"));
  for (const auto& row : charsmaps) descriptions.push_back(row.at("normalizer"));
  return descriptions;
}

/// Made when it is first asked for: some take long.
const Normalizer& NormalizerOf(uint8_t number) {
  static const auto descriptions = Descriptions();
  static std::vector<std::unique_ptr<Normalizer>> normalizers(descriptions.size());
  const std::size_t i = number % descriptions.size();
  if (normalizers[i] == nullptr) {
    auto read = text::ReadNormalizer(common::JsonView(descriptions[i], "normalizer"));
    CHECK(read.ok()) << read.status();
    normalizers[i] = *std::move(read);
  }
  return *normalizers[i];
}

void CheckAlignment(const Normalizer& normalizer, std::string_view text, NormalizerScratch& scratch,
                    std::string_view whole) {
  AlignedText aligned(text);
  normalizer.NormalizeAligned(aligned, scratch);
  CHECK(aligned.bytes() == whole) << aligned.bytes();
  CHECK(aligned.sources().size() == whole.size());
  const auto begins_character = [&](uint32_t at) {
    return at == text.size() || !text::ContinuesCharacter(text[at]);
  };
  uint32_t before = 0;
  for (const auto& [begin, end] : aligned.sources()) {
    CHECK(begin <= end && end <= text.size()) << begin << ".." << end;
    CHECK(begins_character(begin) && begins_character(end)) << begin << ".." << end;
    CHECK(begin >= before) << begin << " behind " << before;
    before = begin;
  }
}

void CheckCuts(const Normalizer& normalizer, std::string_view text, NormalizerScratch& scratch,
               std::string_view whole) {
  constexpr int kCutsMax = 16;  // Each costs as much as the text.
  std::string parts;
  int cuts = 0;
  for (std::size_t at = 0; at < text.size() && cuts < kCutsMax; text::DecodeUtf8(text, at)) {
    if (at == 0 || !normalizer.CanCut(text, at)) continue;
    ++cuts;
    parts.clear();
    normalizer.Normalize(text.substr(0, at), scratch, parts);
    normalizer.NormalizeRest(text.substr(at), scratch, parts);
    CHECK(parts == whole) << "cut at " << at;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const Normalizer& normalizer = NormalizerOf(input.Take<uint8_t>());
  std::string text;
  text::AppendValidUtf8(input.rest(), text);
  NormalizerScratch scratch;
  std::string whole;
  normalizer.Normalize(text, scratch, whole);
  CHECK(text::IsValidUtf8(whole)) << whole;
  CheckAlignment(normalizer, text, scratch, whole);
  CheckCuts(normalizer, text, scratch, whole);
  return 0;
}
