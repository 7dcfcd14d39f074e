#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/normalizers/normalizer.h"
#include "text/pre_tokenizers/work_text.h"
#include "text/tokenizer.h"
#include "text/word_table.h"

namespace text {

/// In the order in which an Encode call fills them, again and again for each block of its text.
struct Scratch::Buffers {
  NormalizerScratch normalizer;
  std::string normalized;  ///< one block, as the normalizer left it, in the layout of WorkText
  PreTokenizerScratch pre_tokenizer;
  std::vector<std::string_view> words;  ///< of a part of `normalized`
  WordTable::Scratch word_table;
  std::vector<int32_t> first, second;  ///< ids of the texts of a pair
};

}  // namespace text
