#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "text/pre_tokenizers/work_text.h"

namespace text {

/// Puts a space before each of `words` (views into `text`, in order) for which `wants` is true. It
/// stands for what the word's first byte stands for. In place where a byte that no word needs lies
/// before each of them; else the words are copied into `scratch`, which `text` then points to.
void PrefixWords(WorkText& text, PreTokenizerScratch& scratch, std::vector<std::string_view>& words,
                 absl::FunctionRef<bool(std::string_view word)> wants);

}  // namespace text
