#include "text/decoders/bpe_decoder.h"

#include "text/decoders/replace_all.h"

namespace text {

absl::StatusOr<std::unique_ptr<Decoder>> BpeDecoder::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "suffix"}));
  ASSIGN_OR_RETURN(const std::string_view suffix, json.String("suffix"));
  return std::make_unique<BpeDecoder>(suffix);
}

void BpeDecoder::Decode(std::vector<std::string>& pieces) const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i] = ReplaceAll(pieces[i], suffix_, i + 1 < pieces.size() ? " " : "");
  }
}

}  // namespace text
