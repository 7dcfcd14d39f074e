#include "text/pre_tokenizers/piece_form.h"

#include <array>

#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr char32_t kByteCharactersEnd = 256 + 68;  // 68 bytes have no printable character of theirs

/// Bytes by the character that GPT-2 writes for them; -1: none.
std::array<int16_t, kByteCharactersEnd> MakeByteOf() {
  std::array<int16_t, kByteCharactersEnd> byte_of;
  byte_of.fill(-1);
  std::size_t next = 256;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const bool printable =
        (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte <= 0xFF && byte != 0xAD);
    byte_of[printable ? byte : next++] = static_cast<int16_t>(byte);
  }
  return byte_of;
}

std::optional<std::string> ToBytes(std::string_view piece) {
  static const auto byte_of = MakeByteOf();
  std::string bytes;
  for (std::size_t at = 0; at < piece.size();) {
    const char32_t c = DecodeUtf8(piece, at);
    if (c >= byte_of.size() || byte_of[c] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(byte_of[c]));
  }
  return bytes;
}

std::optional<std::string> ToSpaces(std::string_view piece, std::string_view space) {
  if (space != " " && piece.find(' ') != std::string_view::npos) return std::nullopt;
  std::string bytes;
  while (!piece.empty()) {
    const std::size_t size = std::min(piece.find(space), piece.size());
    bytes.append(piece.substr(0, size));
    piece.remove_prefix(size);
    if (piece.empty()) break;
    bytes.push_back(' ');
    piece.remove_prefix(space.size());
  }
  return bytes;
}

}  // namespace

std::optional<std::string> PieceForm::ToWordBytes(std::string_view piece) const {
  switch (kind) {
    case Kind::kPlain:
      break;
    case Kind::kByteLevel:
      return ToBytes(piece);
    case Kind::kMetaspace:
      return ToSpaces(piece, space);
  }
  return std::string(piece);
}

}  // namespace text
