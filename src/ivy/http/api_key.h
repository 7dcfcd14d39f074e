#pragma once

#include <string_view>

namespace ivy {

/// Whether an Authorization header carries `key` ("Bearer <key>", the scheme in any case). True for
/// any header if `key` is empty. Takes the same time wherever the first difference is.
bool KeyMatches(std::string_view key, std::string_view authorization);

}  // namespace ivy
