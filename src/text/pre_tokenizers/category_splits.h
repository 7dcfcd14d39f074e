#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/pre_tokenizers/pre_tokenizer.h"

namespace text {

/// Digits: numbers are words, or with individual_digits each digit.
absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadDigits(const common::JsonView& json);

/// Punctuation: splits at punctuation, of which `behavior` tells what becomes.
absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadPunctuation(const common::JsonView& json);

/// CharDelimiterSplit: words end at one character, which goes.
absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadCharDelimiterSplit(const common::JsonView& json);

}  // namespace text
