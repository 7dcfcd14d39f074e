#pragma once

#include <string>
#include <string_view>

#include "common/status.h"

namespace bench {

/// Where a server listens, and the prefix of its paths.
struct Url {
  std::string host{};  ///< Name or address; an IPv6 address without its brackets.
  int port = 80;
  std::string prefix{};  ///< "" or "/something", without a slash at the end.
};

/// Reads http://HOST[:PORT][/PREFIX]. Anything else (https, a user name, a query) is an
/// InvalidArgument that says what was expected.
absl::StatusOr<Url> ParseUrl(std::string_view text);

/// HOST:PORT as a Host header has it.
std::string Authority(const Url& url);

}  // namespace bench
