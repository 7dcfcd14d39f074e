#pragma once

#include <string>
#include <string_view>

namespace text {

/// Appends `text` with `content` in the place of each byte equal to `byte`: what makes U+2581 of
/// every space, at 16 bytes a step.
void ReplaceByte(std::string_view text, char byte, std::string_view content, std::string& out);

}  // namespace text
