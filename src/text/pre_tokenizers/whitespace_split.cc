#include "text/pre_tokenizers/whitespace_split.h"

namespace text {

absl::StatusOr<std::unique_ptr<PreTokenizer>> WhitespaceSplit::FromJson(
    const common::JsonView& json) {
  RETURN_IF_ERROR(json.ExpectKeys({"type"}));
  return std::make_unique<WhitespaceSplit>();
}

}  // namespace text
