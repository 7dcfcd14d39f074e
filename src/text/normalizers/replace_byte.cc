#include "text/normalizers/replace_byte.h"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace text {
namespace {

constexpr std::size_t kStep = 16;

/// Which of the 16 bytes from `bytes` on are equal to `byte`, one bit each.
unsigned MatchesIn(const char* bytes, char byte) {
  const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(loaded, _mm_set1_epi8(byte))));
}

void Copy16(const char* from, char* to) { std::memcpy(to, from, kStep); }

}  // namespace

void ReplaceByte(std::string_view text, char byte, std::string_view content, std::string& out) {
  const auto matches = static_cast<std::size_t>(std::count(text.begin(), text.end(), byte));
  // What is copied in whole steps runs past its end, into what is written next or cut off.
  const std::size_t size = out.size() + text.size() - matches + matches * content.size();
  out.resize(size + kStep);
  char* to = out.data() + size - (text.size() - matches + matches * content.size());
  const auto put_content = [&] {
    std::memcpy(to, content.data(), content.size());
    to += content.size();
  };
  std::size_t at = 0;
  for (; at + 2 * kStep <= text.size(); at += kStep) {
    const char* from = text.data() + at;
    const char* const end = from + kStep;
    for (unsigned left = MatchesIn(from, byte); left != 0; left &= left - 1) {
      const char* const match = text.data() + at + std::countr_zero(left);
      Copy16(from, to);
      to += match - from;
      put_content();
      from = match + 1;
    }
    Copy16(from, to);
    to += end - from;
  }
  for (; at < text.size(); ++at) {
    if (text[at] == byte) {
      put_content();
    } else {
      *to++ = text[at];
    }
  }
  out.resize(size);
}

}  // namespace text
