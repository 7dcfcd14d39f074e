#include "text/trimmed_offsets.h"

#include <algorithm>

#include "text/unicode/characters.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr char32_t kByteLevelSpace = U'\u0120';

bool IsBlank(char32_t c) {
  return c == kByteLevelSpace || (Characters::Get().traits(c) & kWhitespaceTrait) != 0;
}

}  // namespace

BlankEnds CountBlankEnds(std::string_view piece) {
  BlankEnds blanks;
  for (std::size_t at = 0; at < piece.size() && IsBlank(DecodeUtf8(piece, at));) ++blanks.before;
  for (std::string_view rest = piece; !rest.empty() && IsBlank(LastCodePoint(rest));) {
    ++blanks.behind;
    while (ContinuesCharacter(rest.back())) rest.remove_suffix(1);
    rest.remove_suffix(1);
  }
  return blanks;
}

Encoding::Offset TrimOffset(Encoding::Offset offset, BlankEnds blanks, bool is_first,
                            bool add_prefix_space) {
  auto& [begin, end] = offset;
  if (blanks.before > 0) {
    // A single space in front of the text may be the one that was put there.
    const bool may_be_added = add_prefix_space && blanks.before == 1 && (is_first || begin == 0);
    if (!may_be_added) begin = std::min(begin + blanks.before, end);
  }
  if (end >= blanks.behind) end = std::max(end - blanks.behind, begin);
  return offset;
}

}  // namespace text
