#pragma once

#include <memory>

#include "common/json_view.h"
#include "text/pre_tokenizers/pre_tokenizer.h"

namespace text {

/// Reads `pre_tokenizer` of a tokenizer.json by the type that it names. To add a type, write its
/// file and name it in pre_tokenizer_types.cc.
absl::StatusOr<std::unique_ptr<PreTokenizer>> ReadPreTokenizer(const common::JsonView& json);

}  // namespace text
