#include "text/normalizers/character_forms.h"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "text/unicode/hangul.h"
#include "text/unicode/utf8.h"

namespace text {
namespace {

constexpr int kStep = 16;
// Input for which room is made at a time. Making room costs as much as clearing it.
constexpr std::size_t kChunkBytes = 512;
// The longest form is that of a syllable, of 9 bytes, and whole steps are stored.
constexpr std::size_t kSlack = 32;

/// What becomes of 16 bytes of ASCII.
class AsciiRule {
 public:
  AsciiRule(bool cleans, char lower_delta)
      : cleans_(_mm_set1_epi8(cleans ? -1 : 0)), lower_delta_(_mm_set1_epi8(lower_delta)) {}

  __m128i Map(__m128i in) const {
    const __m128i blank = _mm_and_si128(IsBlank(in), cleans_);
    const __m128i cleaned =
        _mm_or_si128(_mm_andnot_si128(blank, in), _mm_and_si128(blank, Space()));
    const __m128i upper = _mm_and_si128(_mm_cmpgt_epi8(in, _mm_set1_epi8('A' - 1)),
                                        _mm_cmplt_epi8(in, _mm_set1_epi8('Z' + 1)));
    return _mm_add_epi8(cleaned, _mm_and_si128(upper, lower_delta_));
  }
  /// Which bytes are dropped, one bit each; bytes that are no ASCII count as dropped.
  unsigned Dropped(__m128i in) const {
    const __m128i control = _mm_or_si128(_mm_cmplt_epi8(in, Space()), Is(in, '\x7F'));
    return static_cast<unsigned>(
        _mm_movemask_epi8(_mm_and_si128(_mm_andnot_si128(IsBlank(in), control), cleans_)));
  }

 private:
  static __m128i Is(__m128i in, char c) { return _mm_cmpeq_epi8(in, _mm_set1_epi8(c)); }
  static __m128i IsBlank(__m128i in) {
    return _mm_or_si128(_mm_or_si128(Is(in, '\t'), Is(in, '\n')), Is(in, '\r'));
  }
  static __m128i Space() { return _mm_set1_epi8(' '); }

  __m128i cleans_;  // All bits or none.
  __m128i lower_delta_;
};

uint64_t Packed(std::string_view form) {
  uint64_t bytes = 0;
  if (!form.empty()) std::memcpy(&bytes, form.data(), form.size());
  return bytes << 8 | (form.size() + 1);
}

char* PutThreeBytes(char32_t c, char* to) {
  to[0] = static_cast<char>(0xE0 | c >> 12);
  to[1] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
  to[2] = static_cast<char>(0x80 | (c & 0x3F));
  return to + 3;
}

}  // namespace

CharacterForms::CharacterForms(bool cleans, bool lowers)
    : cleans_(cleans), lower_delta_(lowers ? 'a' - 'A' : 0) {
  for (std::size_t byte = 0; byte < ascii_.size(); ++byte) {
    char form = static_cast<char>(byte);
    const bool blank = form == '\t' || form == '\n' || form == '\r';
    const bool dropped = !blank && (byte < ' ' || byte == 0x7F);
    if (cleans && blank) form = ' ';
    if (form >= 'A' && form <= 'Z') form = static_cast<char>(form + lower_delta_);
    ascii_[byte] = Packed(cleans && dropped ? std::string_view() : std::string_view(&form, 1));
  }
}

void CharacterForms::Set(char32_t c, std::string_view form) {
  forms_.At(c) = form.size() <= kFormBytesMax ? Packed(form) : kUnknown;
}

/// One call of Append: where it reads and writes. There is always room for what is left of the
/// chunk, and slack. The loops keep the two places in variables of their own, as the compiler must
/// take any byte that is stored for a part of this object.
class CharacterForms::Walk {
 public:
  Walk(const CharacterForms& forms, std::string_view text, std::size_t at, std::string& out)
      : forms_(forms),
        from_(text.data() + at),
        text_end_(text.data() + text.size()),
        chunk_end_(from_ + std::min(kChunkBytes, text.size() - at)),
        out_(out) {
    const auto bytes = static_cast<std::size_t>(chunk_end_ - from_);
    const std::size_t size = out.size();
    out.resize(size + bytes + bytes / 4 + kSlack);
    to_ = out.data() + size;
  }

  /// Returns where it stopped.
  const char* Run() {
    while (from_ < chunk_end_) {
      if (IsAscii(*from_)) {
        PutAscii();
      } else if (!PutOthers()) {
        break;
      }
    }
    out_.resize(static_cast<std::size_t>(to_ - out_.data()));
    return from_;
  }

 private:
  void PutAscii() {
    const char* from = from_;
    char* to = to_;
    const AsciiRule rule(forms_.cleans_, forms_.lower_delta_);
    while (chunk_end_ - from >= kStep) {
      const __m128i in = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
      const auto others = static_cast<unsigned>(_mm_movemask_epi8(in));
      const unsigned dropped = rule.Dropped(in);
      // Nearly always: a step of constant size, so that the next does not wait for this one.
      if ((others | dropped) == 0) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), rule.Map(in));
        from += kStep;
        to += kStep;
        continue;
      }
      const int ascii = std::countr_zero(others | 1u << kStep);
      if ((dropped & ((1u << ascii) - 1)) == 0) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), rule.Map(in));
        to += ascii;
      } else {
        for (int i = 0; i < ascii; ++i) to = Put(forms_.ascii_[Byte(from[i])], to);
      }
      from += ascii;
      if (ascii < kStep) break;
    }
    while (from < chunk_end_ && IsAscii(*from)) to = Put(forms_.ascii_[Byte(*from++)], to);
    from_ = from;
    to_ = to;
  }

  // False if it stopped before an unknown character.
  bool PutOthers() {
    const char* from = from_;
    char* to = to_;
    bool known = true;
    while (from < chunk_end_ && !IsAscii(*from)) {
      std::size_t size = 0;
      const char32_t c = DecodeUtf8({from, 4}, size);
      const uint64_t form = forms_.forms_[c];
      if (form == 0) {
        to = Copy(from, size, to);
        from += size;
        continue;
      }
      if ((form & 0xFF) <= kFormBytesMax + 1) {
        to = Put(form, to);
      } else if (form == kSpaced) {
        *to++ = ' ';
        to = Copy(from, size, to);
        *to++ = ' ';
      } else if (form == kSyllable) {
        for (const char32_t letter : DecomposeSyllable(c)) to = PutThreeBytes(letter, to);
      } else {
        known = false;
        break;
      }
      from += size;
      to = KeepRoom(from, to);
    }
    from_ = from;
    to_ = to;
    return known;
  }

  static std::size_t Byte(char byte) { return static_cast<unsigned char>(byte); }

  static char* Put(uint64_t form, char* to) {
    const uint64_t bytes = form >> 8;
    std::memcpy(to, &bytes, sizeof(bytes));
    return to + (form & 0xFF) - 1;
  }

  char* Copy(const char* from, std::size_t size, char* to) const {
    if (text_end_ - from >= 4) {
      std::memcpy(to, from, 4);
    } else {
      std::copy_n(from, size, to);
    }
    return to + size;
  }

  char* KeepRoom(const char* from, char* to) {
    // The last character may reach beyond the chunk.
    const auto left = static_cast<std::size_t>(std::max(chunk_end_ - from, std::ptrdiff_t{0}));
    const auto written = static_cast<std::size_t>(to - out_.data());
    if (out_.size() - written >= left + kSlack) return to;
    out_.resize(written + left * 2 + kSlack);
    return out_.data() + written;
  }

  const CharacterForms& forms_;
  const char* from_;
  const char* const text_end_;
  const char* const chunk_end_;
  std::string& out_;
  char* to_;
};

std::size_t CharacterForms::Append(std::string_view text, std::size_t at, std::string& out) const {
  return static_cast<std::size_t>(Walk(*this, text, at, out).Run() - text.data());
}

}  // namespace text
