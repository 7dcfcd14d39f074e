#include "wire/host_port.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace wire {
namespace {

/// RFC 1035.
constexpr std::size_t kNameLengthMax = 253;
constexpr std::size_t kLabelLengthMax = 63;
constexpr int kPortMax = 65'535;

bool IsAddress(int family, const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(family, text.c_str(), address.data()) == 1;
}

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return absl::ascii_isdigit(c); });
}

/// Of a name in DNS, or of a network interface; container runtimes put underscores into both.
bool IsLabel(std::string_view text) {
  return !text.empty() && text.size() <= kLabelLengthMax && text.front() != '-' &&
         std::ranges::all_of(
             text, [](unsigned char c) { return absl::ascii_isalnum(c) || c == '-' || c == '_'; });
}

bool IsName(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.size() > kNameLengthMax) return false;
  std::size_t begin = 0;
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos;
       dot = text.find('.', begin)) {
    if (!IsLabel(text.substr(begin, dot - begin))) return false;
    begin = dot + 1;
  }
  const std::string_view last = text.substr(begin);
  if (!IsLabel(last)) return false;
  // No name ends in a number, so this ought to be an address.
  return !AllDigits(last) || IsAddress(AF_INET, std::string(text));
}

bool IsIpv6(std::string_view text) {
  const std::size_t zone = text.find('%');
  if (zone != std::string_view::npos && !IsLabel(text.substr(zone + 1))) return false;
  return IsAddress(AF_INET6, std::string(text.substr(0, zone)));
}

}  // namespace

std::optional<HostPort> ParseHostPort(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::optional<int> port = ParsePort(text.substr(colon + 1));
  if (!port) return std::nullopt;
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (!IsIpv6(host)) return std::nullopt;
  } else if (!IsName(host)) {
    return std::nullopt;
  }
  return HostPort{.host = std::string(host), .port = *port};
}

std::optional<int> ParsePort(std::string_view digits) {
  int port = 0;
  const char* const end = digits.data() + digits.size();
  const auto [read, error] = std::from_chars(digits.data(), end, port);
  if (error != std::errc() || read != end || port < 1 || port > kPortMax) return std::nullopt;
  return port;
}

std::string JoinHostPort(const std::string& host, int port) {
  const bool bare_ipv6 = host.find(':') != std::string::npos && host.front() != '[';
  return absl::StrCat(bare_ipv6 ? "[" + host + "]" : host, ":", port);
}

}  // namespace wire
