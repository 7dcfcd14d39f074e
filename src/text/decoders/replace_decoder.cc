#include "text/decoders/replace_decoder.h"

namespace text {

absl::StatusOr<std::unique_ptr<Decoder>> ReplaceDecoder::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "pattern", "content"}));
  ASSIGN_OR_RETURN(const common::JsonView pattern_json, json.Member("pattern"));
  ASSIGN_OR_RETURN(auto pattern, ReplacePattern::FromJson(pattern_json));
  ASSIGN_OR_RETURN(const std::string_view content, json.String("content"));
  return std::make_unique<ReplaceDecoder>(std::move(pattern), content);
}

void ReplaceDecoder::Decode(std::vector<std::string>& pieces) const {
  RegexScratch scratch;
  for (std::string& piece : pieces) {
    std::string out;
    std::size_t copied = 0;
    pattern_->ForEachMatch(piece, scratch, [&](std::size_t begin, std::size_t end) {
      out.append(piece, copied, begin - copied);
      out += content_;
      copied = end;
    });
    out.append(piece, copied);
    piece = std::move(out);
  }
}

}  // namespace text
