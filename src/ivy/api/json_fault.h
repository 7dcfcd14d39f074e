#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ivy {

/// Where a text stops being JSON.
struct JsonFault {
  std::string path;                   ///< Of the value there, "input[3]"; "" at the top.
  std::optional<std::size_t> byte{};  ///< Offset; unknown if not found.
};

/// Looks for the fault in a body that the fast parser refused, with a slower one that knows where
/// it is. Bodies above 1 MiB are not searched.
JsonFault FindJsonFault(std::string_view body);

}  // namespace ivy
