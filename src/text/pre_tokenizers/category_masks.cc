#include "text/pre_tokenizers/category_masks.h"

#include "text/pre_tokenizers/byte_window.h"
#include "text/pre_tokenizers/window_bits.h"
#include "text/unicode/categories.h"
#include "text/unicode/utf8.h"

namespace text {

namespace {

/// Calls `visit` with the category and the mask of each character, up to the first that it refuses.
template <typename Visit>
void ForEachCharacter(std::string_view text, std::size_t at, uint64_t leads, Visit visit) {
  static const Categories& categories = Categories::Get();
  for (; leads != 0; leads = WithoutLowest(leads)) {
    const std::size_t first = Lowest(leads);
    std::size_t end = at + first;
    const uint8_t category = categories[DecodeUtf8(text, end)];
    const uint64_t mask = ((uint64_t{1} << (end - at - first)) - 1) << first;
    if (!visit(category, mask)) return;
  }
}

}  // namespace

NotLetters NotLettersOf(std::string_view text, std::size_t at, uint64_t leads, uint8_t letters) {
  NotLetters found;
  ForEachCharacter(text, at, leads, [&](uint8_t category, uint64_t mask) {
    if ((category & kSpaceCategory) != 0) {
      found.size = Lowest(mask);
      return false;
    }
    found.all |= (category & letters) == 0 ? mask : 0;
    found.numbers |= (category & kNumberCategory) != 0 ? mask : 0;
    return true;
  });
  return found;
}

WordEnds WordEndsOf(std::string_view text, std::size_t at, uint64_t leads) {
  WordEnds found;
  ForEachCharacter(text, at, leads, [&](uint8_t category, uint64_t mask) {
    if ((category & kSpaceCategory) != 0) found.spaces |= mask;
    if ((category & kPunctuationCategory) != 0) found.punctuation |= mask;
    return true;
  });
  return found;
}

std::size_t WholeCharacters(std::string_view text, std::size_t at) {
  constexpr std::size_t kBytes = ByteWindow::kBytes;
  if (text.size() - at <= kBytes) return text.size() - at;
  for (std::size_t back = 1; back < 4; ++back) {
    const auto byte = static_cast<uint8_t>(text[at + kBytes - back]);
    if (byte < 0x80) break;
    if (byte < 0xC0) continue;
    const std::size_t size = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return size > back ? kBytes - back : kBytes;
  }
  return kBytes;
}

}  // namespace text
