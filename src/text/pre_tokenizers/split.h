#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/pre_tokenizers/pre_tokenizer.h"

namespace text {

/// Split: splits at the matches of a string or regular expression. Patterns that a PatternScanner
/// knows go to it, others to PCRE2. Errors name pattern and place.
absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadSplit(const common::JsonView& json);

}  // namespace text
