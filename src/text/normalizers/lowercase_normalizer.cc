#include "text/normalizers/lowercase_normalizer.h"

#include "text/unicode/utf8.h"

namespace text {

absl::StatusOr<std::unique_ptr<Normalizer>> LowercaseNormalizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<LowercaseNormalizer>();
}

void LowercaseNormalizer::Normalize(std::string_view text, NormalizerScratch&,
                                    std::string& out) const {
  for (std::size_t at = 0; at < text.size();) characters_.AppendLower(DecodeUtf8(text, at), out);
}

void LowercaseNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch&) const {
  text.Expand([&](char32_t c, std::string& out) { characters_.AppendLower(c, out); });
}

}  // namespace text
