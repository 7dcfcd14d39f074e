#include "bench/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "wire/host_port.h"

namespace bench {
namespace {

constexpr std::string_view kScheme = "http://";

absl::Status Malformed(std::string_view text, std::string_view cause) {
  return absl::InvalidArgumentError(
      fmt::format("url {}: {}; expected http://HOST[:PORT][/PREFIX]", text, cause));
}

/// The length of the host at the start of `authority`, brackets included.
size_t HostLength(std::string_view authority) {
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    return close == std::string_view::npos ? 0 : close + 1;
  }
  return std::min(authority.find(':'), authority.size());
}

/// Port of the ":8080" behind a host; HTTP's own if there is none.
std::optional<int> ReadPort(std::string_view text) {
  if (text.empty()) return Url().port;
  if (!text.starts_with(':')) return std::nullopt;
  return wire::ParsePort(text.substr(1));
}

}  // namespace

absl::StatusOr<Url> ParseUrl(std::string_view text) {
  if (!text.starts_with(kScheme)) return Malformed(text, "no http:// at its start");
  if (text.find_first_of("@?#") != std::string_view::npos) {
    return Malformed(text, "a user name, a query or a fragment");
  }
  const std::string_view rest = text.substr(kScheme.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  const size_t host_length = HostLength(authority);
  std::string_view host = authority.substr(0, host_length);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return Malformed(text, "no host");
  const std::optional<int> port = ReadPort(authority.substr(host_length));
  if (!port.has_value()) return Malformed(text, "the port is no number from 1 to 65535");

  std::string_view prefix = rest.substr(slash);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  return Url{.host = std::string(host), .port = *port, .prefix = std::string(prefix)};
}

std::string Authority(const Url& url) { return wire::JoinHostPort(url.host, url.port); }

}  // namespace bench
