#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace text {

inline constexpr std::size_t kReplacementBytesMax = 16;

/// Appends `text` with `content`, of at most kReplacementBytesMax bytes, in the place of each byte
/// equal to `byte`: what makes U+2581 of every space, at 16 bytes a step.
void ReplaceByte(std::string_view text, char byte, std::string_view content, std::string& out);

}  // namespace text
