#pragma once

#include <cstdint>
#include <string_view>

#include "text/tokenizer.h"

namespace text {

/// Characters at both ends of a piece that its offsets leave out under trim_offsets.
struct BlankEnds {
  uint32_t before = 0, behind = 0;
};

/// Counts whitespace, and what ByteLevel writes for a space.
BlankEnds CountBlankEnds(std::string_view piece);

/// The offsets of a token of a text, the text's first one or another, without its blank ends, as
/// the post-processors ByteLevel and Roberta have them.
Encoding::Offset TrimOffset(Encoding::Offset offset, BlankEnds blanks, bool is_first,
                            bool add_prefix_space);

}  // namespace text
