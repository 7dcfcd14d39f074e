#include "text/pre_tokenizers/piece_form.h"

#include <algorithm>

#include "text/unicode/byte_characters.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

std::optional<std::string> ToBytes(std::string_view piece) {
  std::string bytes;
  for (std::size_t at = 0; at < piece.size();) {
    const auto byte = ByteOfCharacter(DecodeUtf8(piece, at));
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
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
