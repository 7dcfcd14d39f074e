#include "text/unicode/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace text {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080;

uint64_t Load8(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

/// What stands at a place that is no ASCII: the first `size` bytes of a sequence, all of it if
/// `whole`; size 0: a byte that begins none.
struct Sequence {
  std::size_t size = 0;
  bool whole = false;
};

/// The bounds of the second byte are those of table 3-7 of the Unicode Standard.
Sequence SequenceAt(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  const unsigned lead = byte(0);
  const std::size_t size = lead < 0xC2   ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
  if (size == 0) return {};
  const std::size_t there = std::min(size, bytes.size() - at);
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (there < 2 || byte(1) < low || byte(1) > high) return {1};
  for (std::size_t i = 2; i < there; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {i};
  }
  return {there, there == size};
}

}  // namespace

std::size_t AsciiEnd(std::string_view text, std::size_t at) {
  while (at + 8 <= text.size() && (Load8(text.data() + at) & kHighBits) == 0) at += 8;
  while (at < text.size() && IsAscii(text[at])) ++at;
  return at;
}

bool IsValidUtf8(std::string_view bytes) {
  std::size_t at = 0;
  while (true) {
    at = AsciiEnd(bytes, at);
    while (at < bytes.size() && !IsAscii(bytes[at])) {
      const Sequence sequence = SequenceAt(bytes, at);
      if (!sequence.whole) return false;
      at += sequence.size;
    }
    if (at == bytes.size()) return true;
  }
}

std::size_t CountCodePoints(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::size_t LastCodePointSize(std::string_view utf8) {
  std::size_t size = 1;
  while ((utf8[utf8.size() - size] & 0xC0) == 0x80) ++size;
  return size;
}

char32_t LastCodePoint(std::string_view utf8) {
  std::size_t at = utf8.size() - LastCodePointSize(utf8);
  return DecodeUtf8(utf8, at);
}

void AppendUtf8(char32_t c, std::string& out) {
  const auto trailing = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    const char bytes[] = {static_cast<char>(0xC0 | c >> 6), trailing(0)};
    out.append(bytes, sizeof(bytes));
  } else if (c < 0x10000) {
    const char bytes[] = {static_cast<char>(0xE0 | c >> 12), trailing(6), trailing(0)};
    out.append(bytes, sizeof(bytes));
  } else {
    const char bytes[] = {static_cast<char>(0xF0 | c >> 18), trailing(12), trailing(6),
                          trailing(0)};
    out.append(bytes, sizeof(bytes));
  }
}

void AppendValidUtf8(std::string_view bytes, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t begin = at;
    at = AsciiEnd(bytes, at);
    Sequence sequence{0, true};
    while (sequence.whole && at < bytes.size() && !IsAscii(bytes[at])) {
      sequence = SequenceAt(bytes, at);
      if (sequence.whole) at += sequence.size;
    }
    out.append(bytes, begin, at - begin);
    if (sequence.whole) continue;
    out += "\uFFFD";
    at += std::max(sequence.size, std::size_t{1});
  }
}

}  // namespace text
