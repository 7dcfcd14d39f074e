#pragma once

#include <string>

namespace wire {

/// "HOST:PORT"; an IPv6 address in brackets.
inline std::string JoinHostPort(const std::string& host, int port) {
  const bool bare_ipv6 = host.find(':') != std::string::npos && host.front() != '[';
  return (bare_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace wire
