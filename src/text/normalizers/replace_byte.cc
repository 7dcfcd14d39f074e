#include "text/normalizers/replace_byte.h"

#include <emmintrin.h>

#include <bit>
#include <cstring>

#include "common/check.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr std::size_t kStep = 16;

/// Which of the 16 bytes from `bytes` on are equal to `byte`, one bit each.
unsigned MatchesIn(const char* bytes, char byte) {
  const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(loaded, _mm_set1_epi8(byte))));
}

}  // namespace

// Everything is copied in whole steps, whose ends are overwritten by what follows or cut off.
void ReplaceByte(std::string_view text, char byte, std::string_view content, std::string& out) {
  CHECK(content.size() <= kReplacementBytesMax);
  char replacement[kStep] = {};
  content.copy(replacement, content.size());
  const std::size_t matches = CountBytes(text, byte);
  const std::size_t begin = out.size();
  const std::size_t size = begin + text.size() - matches + matches * content.size();
  out.resize(size + kStep);
  char* to = out.data() + begin;
  const char* from = text.data();
  const char* const end = from + text.size();
  for (const char* step = from; end - step >= static_cast<std::ptrdiff_t>(2 * kStep);) {
    const char* const step_end = step + kStep;
    for (unsigned left = MatchesIn(step, byte); left != 0; left &= left - 1) {
      const char* const match = step + std::countr_zero(left);
      std::memcpy(to, from, kStep);
      to += match - from;
      std::memcpy(to, replacement, kStep);
      to += content.size();
      from = match + 1;
    }
    std::memcpy(to, from, kStep);
    to += step_end - from;
    from = step = step_end;
  }
  for (; from < end; ++from) {
    if (*from == byte) {
      std::memcpy(to, replacement, kStep);
      to += content.size();
    } else {
      *to++ = *from;
    }
  }
  out.resize(size);
}

}  // namespace text
