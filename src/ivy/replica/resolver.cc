#include "ivy/replica/resolver.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace ivy {
namespace {

/// "10.0.0.7", "fe80::1%eth0"; empty if it cannot be written.
std::string HostOf(const addrinfo& entry) {
  std::array<char, NI_MAXHOST> host{};
  if (getnameinfo(entry.ai_addr, entry.ai_addrlen, host.data(), host.size(), nullptr, 0,
                  NI_NUMERICHOST) != 0) {
    return {};
  }
  return host.data();
}

absl::StatusOr<std::vector<std::string>> Resolve(const wire::HostPort& target) {
  const std::string& name = target.host;
  const addrinfo hints = {.ai_flags = AI_ADDRCONFIG,
                          .ai_family = AF_UNSPEC,
                          .ai_socktype = SOCK_STREAM,
                          .ai_protocol = 0,
                          .ai_addrlen = 0,
                          .ai_addr = nullptr,
                          .ai_canonname = nullptr,
                          .ai_next = nullptr};
  addrinfo* found = nullptr;
  const int error = getaddrinfo(name.c_str(), nullptr, &hints, &found);
  if (error != 0) return absl::UnavailableError(fmt::format("{}: {}", name, gai_strerror(error)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> entries(found, &freeaddrinfo);
  std::set<std::string> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    const std::string host = HostOf(*entry);
    if (!host.empty()) addresses.insert(wire::JoinHostPort(host, target.port));
  }
  return std::vector<std::string>(addresses.begin(), addresses.end());
}

}  // namespace

Resolver MakeFixedResolver(std::vector<std::string> addresses) {
  return [addresses = std::move(addresses)]() -> absl::StatusOr<std::vector<std::string>> {
    return addresses;
  };
}

absl::StatusOr<wire::HostPort> ParseDnsTarget(std::string_view target) {
  constexpr std::string_view kScheme = "dns:///";
  std::optional<wire::HostPort> parsed;
  if (target.starts_with(kScheme)) parsed = wire::ParseHostPort(target.substr(kScheme.size()));
  if (parsed) return *std::move(parsed);
  return absl::InvalidArgumentError(fmt::format("expected dns:///NAME:PORT, got \"{}\"", target));
}

Resolver MakeDnsResolver(wire::HostPort target) {
  return [target = std::move(target)] { return Resolve(target); };
}

}  // namespace ivy
