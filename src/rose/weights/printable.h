#pragma once

#include <string>
#include <string_view>

namespace rose {

/// Whether a name of a file can stand in a message as it is: printable ASCII, not overlong.
bool IsPrintable(std::string_view name);

/// The name as a message can hold it.
std::string Printable(std::string_view name);

}  // namespace rose
