#include "text/decoders/byte_level_decoder.h"

#include "text/unicode/byte_characters.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

void AppendBytes(std::string_view piece, std::string& bytes) {
  const std::size_t begin = bytes.size();
  for (std::size_t at = 0; at < piece.size();) {
    const auto byte = ByteOfCharacter(DecodeUtf8(piece, at));
    if (!byte) {
      bytes.replace(begin, std::string::npos, piece);
      return;
    }
    bytes.push_back(static_cast<char>(*byte));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> ByteLevelDecoder::FromJson(const common::JsonView& json) {
  // The other keys are those of the pre-tokenizer and mean nothing here.
  RETURN_IF_ERROR(json.ExpectKeys({"type", "add_prefix_space", "trim_offsets", "use_regex"}));
  return std::make_unique<ByteLevelDecoder>();
}

void ByteLevelDecoder::Decode(std::vector<std::string>& pieces) const {
  std::string bytes, text;
  for (const std::string& piece : pieces) AppendBytes(piece, bytes);
  AppendValidUtf8(bytes, text);
  pieces.resize(1);
  pieces.front() = std::move(text);
}

}  // namespace text
