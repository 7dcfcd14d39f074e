#include "text/pre_tokenizers/category_masks.h"

#include "text/pre_tokenizers/byte_window.h"
#include "text/pre_tokenizers/window_bits.h"
#include "text/unicode/categories.h"
#include "text/unicode/utf8.h"

namespace text {

CategoryMasks MasksOfCharacters(std::string_view text, std::size_t at, uint64_t leads) {
  static const Categories& categories = Categories::Get();
  CategoryMasks masks;
  for (; leads != 0; leads = WithoutLowest(leads)) {
    const std::size_t first = Lowest(leads);
    std::size_t end = at + first;
    const unsigned category = categories[DecodeUtf8(text, end)];
    const uint64_t mask = LowBits(end - at) & ~LowBits(first);
    const auto in = [&](Category wanted) { return (category & wanted) != 0 ? mask : 0; };
    masks.all |= mask;
    masks.letters |= in(kLetterCategory);
    masks.numbers |= in(kNumberCategory);
    masks.marks |= in(kMarkCategory);
    masks.spaces |= in(kSpaceCategory);
    masks.punctuation |= in(kPunctuationCategory);
  }
  return masks;
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

bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  return has;
}

}  // namespace text
