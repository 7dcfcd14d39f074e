#pragma once

#include <string>
#include <string_view>

namespace common {

/// The text as one line for a terminal, whatever it holds: control characters (and so line ends and
/// escape sequences) as \xNN, bytes beyond the first 2000 as "…". For what quotes foreign files.
std::string OneLine(std::string_view text);

}  // namespace common
