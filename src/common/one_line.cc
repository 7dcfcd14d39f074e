#include "common/one_line.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace common {
namespace {

constexpr std::size_t kLengthMax = 2000;

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string OneLine(std::string_view text) {
  std::size_t length = text.size();
  if (length > kLengthMax) {
    length = kLengthMax;
    while (length > 0 && ContinuesCharacter(text[length])) --length;
  }
  std::string line;
  for (const char c : text.substr(0, length)) {
    if (IsControl(c)) {
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  if (length < text.size()) line += "…";
  return line;
}

}  // namespace common
