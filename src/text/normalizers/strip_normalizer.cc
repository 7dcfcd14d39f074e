#include "text/normalizers/strip_normalizer.h"

#include "text/unicode/utf8.h"

namespace text {

StripNormalizer::StripNormalizer(bool left, bool right)
    : left_(left), right_(right), whitespace_(kWhitespace) {}

absl::StatusOr<std::unique_ptr<Normalizer>> StripNormalizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "strip_left", "strip_right"}));
  ASSIGN_OR_RETURN(const bool left, json.Bool("strip_left"));
  ASSIGN_OR_RETURN(const bool right, json.Bool("strip_right"));
  return std::make_unique<StripNormalizer>(left, right);
}

std::string_view StripNormalizer::Stripped(std::string_view text) const {
  while (right_ && !text.empty() && whitespace_.Contains(LastCodePoint(text))) {
    text.remove_suffix(LastCodePointSize(text));
  }
  std::size_t begin = 0;
  for (std::size_t at = 0;
       left_ && at < text.size() && whitespace_.Contains(DecodeUtf8(text, at));) {
    begin = at;
  }
  return text.substr(begin);
}

void StripNormalizer::Normalize(std::string_view text, NormalizerScratch&, std::string& out) const {
  out += Stripped(text);
}

void StripNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch&) const {
  const std::string bytes(text.bytes());
  const std::string_view stripped = Stripped(bytes);
  const auto begin = static_cast<std::size_t>(stripped.data() - bytes.data());
  const AlignedText::Replacement ends[] = {{0, begin, {}},
                                           {begin + stripped.size(), bytes.size(), {}}};
  text.Replace(ends);
}

// The left part loses its blanks on the right, the right part those on its left.
bool StripNormalizer::CanCut(std::string_view text, std::size_t at) const {
  const bool blank_before = whitespace_.Contains(LastCodePoint(text.substr(0, at)));
  const bool blank_after = whitespace_.Contains(DecodeUtf8(text, at));
  return !(right_ && blank_before) && !(left_ && blank_after);
}

}  // namespace text
