#include "text/unicode/byte_characters.h"

#include <algorithm>
#include <array>

namespace text {
namespace {

constexpr std::array<char32_t, 256> MakeCharacters() {
  std::array<char32_t, 256> characters{};
  char32_t next = 256;  // What is not printable itself is written as what follows Latin-1.
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool printable =
        (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte <= 0xFF && byte != 0xAD);
    characters[byte] = printable ? byte : next++;
  }
  return characters;
}

constexpr auto kCharacters = MakeCharacters();
constexpr char32_t kEnd = *std::max_element(kCharacters.begin(), kCharacters.end()) + 1;

constexpr std::array<int16_t, kEnd> MakeBytes() {
  std::array<int16_t, kEnd> bytes{};
  bytes.fill(-1);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    bytes[kCharacters[byte]] = static_cast<int16_t>(byte);
  }
  return bytes;
}

constexpr auto kBytes = MakeBytes();

}  // namespace

char32_t ByteCharacter(uint8_t byte) { return kCharacters[byte]; }

std::optional<uint8_t> ByteOfCharacter(char32_t c) {
  if (c >= kEnd || kBytes[c] < 0) return std::nullopt;
  return static_cast<uint8_t>(kBytes[c]);
}

}  // namespace text
