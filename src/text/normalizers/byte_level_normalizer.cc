#include "text/normalizers/byte_level_normalizer.h"

#include "text/unicode/byte_characters.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

void AppendCharacters(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) AppendUtf8(ByteCharacter(static_cast<uint8_t>(byte)), out);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Normalizer>> ByteLevelNormalizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<ByteLevelNormalizer>();
}

void ByteLevelNormalizer::Normalize(std::string_view text, NormalizerScratch&,
                                    std::string& out) const {
  AppendCharacters(text, out);
}

void ByteLevelNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch&) const {
  text.Expand([](char32_t c, std::string& out) {
    std::string bytes;
    AppendUtf8(c, bytes);
    AppendCharacters(bytes, out);
  });
}

}  // namespace text
