#include "text/models/bpe_characters.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr char32_t kWrittenBytesEnd = 0x200;  // Above all characters that stand for bytes.

std::vector<std::string> WriteBytes(const PieceForm& form) {
  std::vector<std::string> written(256);
  for (char32_t c = 0; c < kWrittenBytesEnd; ++c) {
    std::string character;
    AppendUtf8(c, character);
    if (const auto byte = form.ToWordBytes(character)) {
      written[static_cast<unsigned char>(byte->front())] = character;
    }
  }
  return written;
}

}  // namespace

BpeCharacters::BpeCharacters(const PieceForm& form, const Vocabulary& vocabulary,
                             const Options& options)
    : form_(form), options_(options) {
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    byte_ids_[byte] = vocabulary.IdOf(fmt::format("<0x{:02X}>", byte)).value_or(-1);
  }
  has_all_bytes_ =
      options.byte_fallback && std::find(byte_ids_.begin(), byte_ids_.end(), -1) == byte_ids_.end();
  if (form.kind != PieceForm::Kind::kByteLevel) return;
  written_bytes_ = WriteBytes(form);
  has_all_bytes_ |=
      std::all_of(written_bytes_.begin(), written_bytes_.end(),
                  [&](const auto& byte) { return vocabulary.IdOf(byte).has_value(); });
}

std::size_t BpeCharacters::SizeAt(std::string_view word, std::size_t at) const {
  if (form_.kind == PieceForm::Kind::kByteLevel) return 1;
  const auto lead = static_cast<unsigned char>(word[at]);
  const std::size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(size, word.size() - at);
}

std::string_view BpeCharacters::Written(std::string_view character) const {
  switch (form_.kind) {
    case PieceForm::Kind::kPlain:
      break;
    case PieceForm::Kind::kByteLevel:
      return written_bytes_[static_cast<unsigned char>(character.front())];
    case PieceForm::Kind::kMetaspace:
      if (character == " ") return form_.space;
  }
  return character;
}

bool BpeCharacters::IsStandIn(int32_t id) const {
  return options_.unknown_id == id ||
         (options_.byte_fallback &&
          std::find(byte_ids_.begin(), byte_ids_.end(), id) != byte_ids_.end());
}

bool BpeCharacters::FallsBack(std::string_view written) const {
  return options_.byte_fallback && std::all_of(written.begin(), written.end(), [&](char byte) {
           return byte_ids_[static_cast<unsigned char>(byte)] >= 0;
         });
}

}  // namespace text
