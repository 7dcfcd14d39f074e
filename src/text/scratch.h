#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/normalizer.h"
#include "text/tokenizer.h"

namespace text {

/// In the order in which an Encode call fills them, again and again for each block of its text.
struct Scratch::Buffers {
  NormalizerScratch normalizer;
  std::string normalized;               ///< one block, as the normalizer left it
  std::vector<std::string_view> words;  ///< of a part of `normalized`
};

}  // namespace text
