#include "text/decoders/byte_fallback_decoder.h"

#include <charconv>
#include <optional>

#include "text/unicode/utf8.h"

namespace text {
namespace {

std::optional<char> ByteOf(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || !piece.ends_with('>')) return std::nullopt;
  std::string_view digits = piece.substr(3, 2);
  if (digits[0] == '+') digits.remove_prefix(1);  // As the library reads numbers.
  uint8_t byte = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, byte, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return static_cast<char>(byte);
}

/// Appends what the bytes of a run stand for; the run is over.
void Flush(std::string& bytes, std::vector<std::string>& pieces) {
  if (bytes.empty()) return;
  if (IsValidUtf8(bytes)) {
    pieces.push_back(bytes);
  } else {
    pieces.insert(pieces.end(), bytes.size(), "\uFFFD");
  }
  bytes.clear();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> ByteFallbackDecoder::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<ByteFallbackDecoder>();
}

void ByteFallbackDecoder::Decode(std::vector<std::string>& pieces) const {
  std::vector<std::string> decoded;
  std::string bytes;
  for (std::string& piece : pieces) {
    if (const auto byte = ByteOf(piece)) {
      bytes.push_back(*byte);
    } else {
      Flush(bytes, decoded);
      decoded.push_back(std::move(piece));
    }
  }
  Flush(bytes, decoded);
  pieces = std::move(decoded);
}

}  // namespace text
