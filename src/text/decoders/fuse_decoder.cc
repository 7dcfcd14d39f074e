#include "text/decoders/fuse_decoder.h"

namespace text {

absl::StatusOr<std::unique_ptr<Decoder>> FuseDecoder::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<FuseDecoder>();
}

void FuseDecoder::Decode(std::vector<std::string>& pieces) const {
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  pieces.resize(1);
  pieces.front() = std::move(text);
}

}  // namespace text
