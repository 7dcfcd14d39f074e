#include "text/decoders/strip_decoder.h"

#include <limits>

#include "text/unicode/utf8.h"

namespace text {

absl::StatusOr<std::unique_ptr<Decoder>> StripDecoder::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type", "content", "start", "stop"}));
  ASSIGN_OR_RETURN(const std::string_view content, json.String("content"));
  if (CountCodePoints(content) != 1) {
    ASSIGN_OR_RETURN(const common::JsonView member, json.Member("content"));
    return member.Expected("one character");
  }
  Options options{.content = std::string(content)};
  constexpr int32_t kLast = std::numeric_limits<int32_t>::max();
  ASSIGN_OR_RETURN(options.start, json.Integer("start", kLast));
  ASSIGN_OR_RETURN(options.stop, json.Integer("stop", kLast));
  return std::make_unique<StripDecoder>(std::move(options));
}

void StripDecoder::Decode(std::vector<std::string>& pieces) const {
  const auto& [content, start, stop] = options_;
  for (std::string& piece : pieces) {
    std::string_view kept = piece;
    for (int32_t i = 0; i < start && kept.starts_with(content); ++i) {
      kept.remove_prefix(content.size());
    }
    for (int32_t i = 0; i < stop && kept.ends_with(content); ++i) {
      kept.remove_suffix(content.size());
    }
    piece = std::string(kept);
  }
}

}  // namespace text
