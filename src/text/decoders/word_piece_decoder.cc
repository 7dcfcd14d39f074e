#include "text/decoders/word_piece_decoder.h"

#include "text/decoders/replace_all.h"

namespace text {

absl::StatusOr<std::unique_ptr<Decoder>> WordPieceDecoder::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "prefix", "cleanup"}));
  ASSIGN_OR_RETURN(const std::string_view prefix, json.String("prefix"));
  ASSIGN_OR_RETURN(const bool cleanup, json.Bool("cleanup"));
  return std::make_unique<WordPieceDecoder>(prefix, cleanup);
}

void WordPieceDecoder::Decode(std::vector<std::string>& pieces) const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::string& piece = pieces[i];
    if (i > 0) {
      if (piece.starts_with(prefix_)) {
        piece.erase(0, prefix_.size());
      } else {
        piece.insert(piece.begin(), ' ');
      }
    }
    if (cleanup_) piece = WithoutSpaces(std::move(piece));
  }
}

}  // namespace text
