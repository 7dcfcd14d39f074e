#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace text {

/// Whether `bytes` is well-formed UTF-8 (no surrogates, no overlong forms, nothing cut off).
bool IsValidUtf8(std::string_view bytes);

inline bool IsAscii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

/// Whether a byte of well-formed UTF-8 is not the first of its character.
inline bool ContinuesCharacter(char byte) { return (byte & 0xC0) == 0x80; }

/// Where the run of ASCII bytes that begins at `at` ends.
std::size_t AsciiEnd(std::string_view text, std::size_t at);

/// Code points of well-formed UTF-8.
std::size_t CountCodePoints(std::string_view utf8);

/// Bytes equal to `byte`.
std::size_t CountBytes(std::string_view text, char byte);

/// The code point at `at` of well-formed UTF-8; moves `at` behind it.
inline char32_t DecodeUtf8(std::string_view utf8, std::size_t& at) {
  const auto byte = [&] { return static_cast<unsigned char>(utf8[at++]); };
  const char32_t lead = byte();
  if (lead < 0x80) return lead;
  char32_t c = (lead & 0x1F) << 6 | (byte() & 0x3F);
  if (lead >= 0xE0) c = (c & 0x3FF) << 6 | (byte() & 0x3F);
  if (lead >= 0xF0) c = (c & 0x7FFF) << 6 | (byte() & 0x3F);
  return c;
}

/// The last code point of well-formed, non-empty UTF-8.
char32_t LastCodePoint(std::string_view utf8);
/// Its bytes.
std::size_t LastCodePointSize(std::string_view utf8);

void AppendUtf8(char32_t c, std::string& out);

/// Appends any bytes as well-formed UTF-8: each longest beginning of a sequence that is cut off,
/// and each byte that begins none, becomes U+FFFD (the practice that the Unicode Standard
/// recommends).
void AppendValidUtf8(std::string_view bytes, std::string& out);

}  // namespace text
