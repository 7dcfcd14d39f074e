#include "text/decoders/metaspace_decoder.h"

#include "text/decoders/replace_all.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

absl::StatusOr<bool> ReadPrepends(const common::JsonView& json) {
  bool prepends = true;
  if (json.Has("prepend_scheme")) {
    ASSIGN_OR_RETURN(const std::string_view scheme, json.String("prepend_scheme"));
    if (scheme != "always" && scheme != "first" && scheme != "never") {
      ASSIGN_OR_RETURN(const common::JsonView member, json.Member("prepend_scheme"));
      return member.Expected("\"always\", \"first\" or \"never\"");
    }
    prepends = scheme != "never";
  }
  if (json.Has("add_prefix_space")) {
    ASSIGN_OR_RETURN(const bool adds, json.Bool("add_prefix_space"));
    if (!adds && prepends) return json.Error("add_prefix_space false needs prepend_scheme never");
  }
  return prepends;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> MetaspaceDecoder::FromJson(const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys(
      {"type", "replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"}));
  ASSIGN_OR_RETURN(const std::string_view replacement, json.String("replacement"));
  if (CountCodePoints(replacement) != 1) {
    ASSIGN_OR_RETURN(const common::JsonView member, json.Member("replacement"));
    return member.Expected("one character");
  }
  ASSIGN_OR_RETURN(const bool prepends, ReadPrepends(json));
  return std::make_unique<MetaspaceDecoder>(replacement, prepends);
}

void MetaspaceDecoder::Decode(std::vector<std::string>& pieces) const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i] = ReplaceAll(pieces[i], replacement_, i == 0 && prepends_ ? "" : " ");
  }
}

}  // namespace text
