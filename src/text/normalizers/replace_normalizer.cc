#include "text/normalizers/replace_normalizer.h"

#include "text/normalizers/replace_byte.h"

namespace text {

absl::StatusOr<std::unique_ptr<Normalizer>> ReplaceNormalizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "pattern", "content"}));
  ASSIGN_OR_RETURN(const common::JsonView pattern_json, json.Member("pattern"));
  ASSIGN_OR_RETURN(auto pattern, ReplacePattern::FromJson(pattern_json));
  ASSIGN_OR_RETURN(const std::string_view content, json.String("content"));
  return std::make_unique<ReplaceNormalizer>(std::move(pattern), content);
}

void ReplaceNormalizer::Normalize(std::string_view text, NormalizerScratch& scratch,
                                  std::string& out) const {
  if (const auto byte = pattern_->SingleByte(); byte && content_.size() <= kReplacementBytesMax) {
    ReplaceByte(text, *byte, content_, out);
    return;
  }
  std::size_t copied = 0;
  pattern_->ForEachMatch(text, scratch.regex, [&](std::size_t begin, std::size_t end) {
    out.append(text, copied, begin - copied);
    out += content_;
    copied = end;
  });
  out.append(text, copied);
}

void ReplaceNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const {
  std::vector<AlignedText::Replacement> replacements;
  pattern_->ForEachMatch(text.bytes(), scratch.regex, [&](std::size_t begin, std::size_t end) {
    replacements.push_back({begin, end, content_});
  });
  text.Replace(replacements);
}

}  // namespace text
