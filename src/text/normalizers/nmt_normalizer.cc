#include "text/normalizers/nmt_normalizer.h"

#include "text/unicode/utf8.h"

namespace text {
namespace {

bool IsRemoved(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
         c == 0x8F || c == 0x9F;
}

char32_t Mapped(char32_t c) {
  switch (c) {
    case U'\t':
    case U'\n':
    case U'\f':
    case U'\r':
    case 0x1680:  // Ogham space
    case 0x200B:  // zero width space, joiners and marks of direction
    case 0x200C:
    case 0x200D:
    case 0x200E:
    case 0x200F:
    case 0x2028:  // line and paragraph separator
    case 0x2029:
    case 0x2581:  // lower one eighth block, SentencePiece's space
    case 0xFEFF:
    case 0xFFFD:
      return U' ';
    default:
      return c;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Normalizer>> NmtNormalizer::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<NmtNormalizer>();
}

void NmtNormalizer::Normalize(std::string_view text, NormalizerScratch&, std::string& out) const {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = DecodeUtf8(text, at);
    if (!IsRemoved(c)) AppendUtf8(Mapped(c), out);
  }
}

void NmtNormalizer::NormalizeAligned(AlignedText& text, NormalizerScratch&) const {
  text.Filter([](char32_t c) { return !IsRemoved(c); });
  text.Expand([](char32_t c, std::string& out) { AppendUtf8(Mapped(c), out); });
}

}  // namespace text
