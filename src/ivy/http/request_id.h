#pragma once

#include <string>
#include <string_view>

namespace ivy {

/// The id of a request: what the client sent in x-request-id, if it is 1 to 128 visible ASCII
/// characters, else a fresh one of 16 hexadecimal digits. Any thread.
std::string RequestId(std::string_view sent);

}  // namespace ivy
