#include "text/normalizers/strip_accents_normalizer.h"

#include "text/unicode/utf8.h"

namespace text {

absl::StatusOr<std::unique_ptr<Normalizer>> StripAccentsNormalizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<StripAccentsNormalizer>();
}

void StripAccentsNormalizer::Normalize(std::string_view text, NormalizerScratch&,
                                       std::string& out) const {
  std::size_t copied = 0;
  for (std::size_t at = AsciiEnd(text, 0); at < text.size(); at = AsciiEnd(text, at)) {
    const std::size_t begin = at;
    if (!marks_.Contains(DecodeUtf8(text, at))) continue;
    out.append(text, copied, begin - copied);
    copied = at;
  }
  out.append(text, copied);
}

void StripAccentsNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch&) const {
  text.Filter([&](char32_t c) { return !marks_.Contains(c); });
}

}  // namespace text
