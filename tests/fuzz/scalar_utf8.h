#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// UTF-8 as the Unicode Standard's table 3-7 says it, one byte after the other.

namespace scalar {

/// How many bytes at the front are ASCII.
inline std::size_t AsciiCount(std::string_view bytes) {
  std::size_t count = 0;
  while (count < bytes.size() && static_cast<unsigned char>(bytes[count]) < 0x80) ++count;
  return count;
}

/// The longest beginning of `bytes`, which are not empty, that begins a well-formed sequence, and
/// whether it is a whole one. Size 0: the first byte begins none.
struct Beginning {
  std::size_t size = 0;
  bool whole = false;
};
inline Beginning BeginningOf(std::string_view bytes) {
  struct Row {
    unsigned first, last;  // Of the first byte.
    unsigned second_low, second_high;
    std::size_t size;
  };
  constexpr Row kTable[] = {
      {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
      {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
      {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
  };
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  for (const Row& row : kTable) {
    if (byte(0) < row.first || byte(0) > row.last) continue;
    std::size_t size = 1;
    while (size < row.size && size < bytes.size()) {
      const unsigned low = size == 1 ? row.second_low : 0x80;
      const unsigned high = size == 1 ? row.second_high : 0xBF;
      if (byte(size) < low || byte(size) > high) break;
      ++size;
    }
    return {size, size == row.size};
  }
  return {};
}

inline bool IsValidUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Beginning beginning = BeginningOf(bytes);
    if (!beginning.whole) return false;
    bytes.remove_prefix(beginning.size);
  }
  return true;
}

/// Each longest beginning that is cut off, and each byte that begins none, becomes U+FFFD.
inline std::string ValidUtf8(std::string_view bytes) {
  std::string valid;
  while (!bytes.empty()) {
    const Beginning beginning = BeginningOf(bytes);
    valid += beginning.whole ? bytes.substr(0, beginning.size) : std::string_view("\uFFFD");
    bytes.remove_prefix(beginning.size > 0 ? beginning.size : 1);
  }
  return valid;
}

/// Of well-formed UTF-8.
inline std::vector<std::string_view> Characters(std::string_view utf8) {
  std::vector<std::string_view> characters;
  while (!utf8.empty()) {
    const std::size_t size = BeginningOf(utf8).size;
    characters.push_back(utf8.substr(0, size));
    utf8.remove_prefix(size);
  }
  return characters;
}

}  // namespace scalar
