#include "text/normalizers/lowercase_normalizer.h"

namespace text {

LowercaseNormalizer::LowercaseNormalizer()
    : characters_(Characters::Get()), forms_(/*cleans=*/false, /*lowers=*/true) {
  std::string form;
  for (char32_t c = 0x80; c < 0x110000; ++c) {
    if ((characters_.traits(c) & kUpperTrait) == 0) continue;
    form.clear();
    characters_.AppendLower(c, form);
    forms_.Set(c, form);
  }
  forms_.Finish();
}

absl::StatusOr<std::unique_ptr<Normalizer>> LowercaseNormalizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<LowercaseNormalizer>();
}

void LowercaseNormalizer::Normalize(std::string_view text, NormalizerScratch&,
                                    std::string& out) const {
  for (std::size_t at = 0; at < text.size();) at = forms_.Append(text, at, out);
}

void LowercaseNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch&) const {
  text.Expand([&](char32_t c, std::string& out) { characters_.AppendLower(c, out); });
}

}  // namespace text
