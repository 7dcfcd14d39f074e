#include "text/normalizers/prepend_normalizer.h"

#include "text/unicode/utf8.h"

namespace text {

absl::StatusOr<std::unique_ptr<Normalizer>> PrependNormalizer::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "prepend"}));
  ASSIGN_OR_RETURN(const std::string_view prefix, json.String("prepend"));
  return std::make_unique<PrependNormalizer>(prefix);
}

void PrependNormalizer::Normalize(std::string_view text, NormalizerScratch&,
                                  std::string& out) const {
  if (text.empty()) return;
  out += prefix_;
  out += text;
}

// The prefix takes the place of the first character, which is then inserted behind it.
void PrependNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch& scratch) const {
  if (text.bytes().empty()) return;
  scratch.changes.clear();
  for (std::size_t at = 0; at < prefix_.size();) {
    const int change = at == 0 ? 0 : 1;
    scratch.changes.push_back({DecodeUtf8(prefix_, at), change});
  }
  std::size_t end = 0;
  scratch.changes.push_back({DecodeUtf8(text.bytes(), end), 1});
  text.Transform(0, end, scratch.changes);
}

}  // namespace text
