#include "text/decoders/ctc_decoder.h"

#include <algorithm>

#include "text/decoders/replace_all.h"

namespace text {

absl::StatusOr<std::unique_ptr<Decoder>> CtcDecoder::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "pad_token", "word_delimiter_token", "cleanup"}));
  Options options;
  ASSIGN_OR_RETURN(options.pad, json.String("pad_token"));
  ASSIGN_OR_RETURN(options.word_delimiter, json.String("word_delimiter_token"));
  ASSIGN_OR_RETURN(options.cleanup, json.Bool("cleanup"));
  return std::make_unique<CtcDecoder>(std::move(options));
}

void CtcDecoder::Decode(std::vector<std::string>& pieces) const {
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  for (std::string& piece : pieces) {
    piece = ReplaceAll(piece, options_.pad, "");
    if (options_.cleanup) {
      piece = ReplaceAll(WithoutSpaces(std::move(piece)), options_.word_delimiter, " ");
    }
  }
  std::erase(pieces, "");
}

}  // namespace text
