#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wire {

/// Where a server listens.
struct HostPort {
  std::string host;  ///< A name or an address, of IPv6 without brackets.
  int port = 0;
};

/// "NAME:PORT", "10.0.0.7:PORT" or "[fe80::1%eth0]:PORT", and nothing else: no scheme, no path, no
/// port by default. Nothing is looked up.
std::optional<HostPort> ParseHostPort(std::string_view text);

/// 1 to 65535 in decimal digits, and nothing else.
std::optional<int> ParsePort(std::string_view digits);

/// "HOST:PORT"; an IPv6 address in brackets, whether `host` has them or not.
std::string JoinHostPort(const std::string& host, int port);

}  // namespace wire
