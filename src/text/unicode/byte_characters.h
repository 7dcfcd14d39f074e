#pragma once

#include <cstdint>
#include <optional>

namespace text {

/// The printable character that GPT-2's byte-level vocabularies write for `byte`.
char32_t ByteCharacter(uint8_t byte);

/// The byte that `c` stands for there; nothing if it stands for none.
std::optional<uint8_t> ByteOfCharacter(char32_t c);

}  // namespace text
