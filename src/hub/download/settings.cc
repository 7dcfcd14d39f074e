#include "hub/download/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "absl/strings/ascii.h"
#include "common/file.h"

namespace hub {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTokenBytesMax = 4096;

/// An empty variable is as none.
std::string Get(Environment environment, const char* name) {
  const char* const value = environment(name);
  return value == nullptr ? "" : value;
}

/// A leading "~" is the home folder.
fs::path GetPath(Environment environment, const char* name) {
  std::string value = Get(environment, name);
  if (value == "~" || value.starts_with("~/")) {
    return fs::path(Get(environment, "HOME") + value.substr(1));
  }
  return value;
}

absl::StatusOr<fs::path> Home(Environment environment) {
  if (fs::path home = GetPath(environment, "HF_HOME"); !home.empty()) return home;
  if (fs::path cache = GetPath(environment, "XDG_CACHE_HOME"); !cache.empty()) {
    return cache / "huggingface";
  }
  const std::string user = Get(environment, "HOME");
  if (user.empty()) {
    return absl::InvalidArgumentError(
        "HF_HOME: not set, nor is HOME; expected the folder to keep downloaded models in");
  }
  return fs::path(user) / ".cache/huggingface";
}

absl::StatusOr<std::string> ReadEndpoint(Environment environment) {
  std::string url = Get(environment, "HF_ENDPOINT");
  if (url.empty()) return "https://huggingface.co";
  while (url.ends_with('/')) url.pop_back();
  const bool printable =
      std::all_of(url.begin(), url.end(), [](char c) { return absl::ascii_isgraph(c); });
  if (!printable || !(url.starts_with("https://") || url.starts_with("http://"))) {
    return absl::InvalidArgumentError(
        fmt::format("HF_ENDPOINT: expected an http:// or https:// URL, got \"{}\"", url));
  }
  return url;
}

absl::StatusOr<std::string> ReadToken(Environment environment, const fs::path& home) {
  std::string source = "HF_TOKEN";
  std::string token = Get(environment, "HF_TOKEN");
  if (token.empty()) {
    fs::path file = GetPath(environment, "HF_TOKEN_PATH");
    if (file.empty()) file = home / "token";
    source = file.string();
    absl::StatusOr<std::string> bytes = common::ReadFile(file, kTokenBytesMax);
    if (absl::IsNotFound(bytes.status())) return "";
    ASSIGN_OR_RETURN(token, std::move(bytes));
  }
  absl::StripAsciiWhitespace(&token);
  // It becomes a line of the request: a line break in it would be another.
  if (!std::all_of(token.begin(), token.end(), [](char c) { return absl::ascii_isgraph(c); })) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected a token, found spaces or control characters", source));
  }
  return token;
}

absl::StatusOr<std::chrono::seconds> ReadTimeout(Environment environment) {
  const std::string text = Get(environment, "HF_HUB_DOWNLOAD_TIMEOUT");
  if (text.empty()) return HubSettings{}.timeout;
  int seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || rest != end || seconds < 1 || seconds > 86'400) {
    return absl::InvalidArgumentError(
        fmt::format("HF_HUB_DOWNLOAD_TIMEOUT: expected 1 to 86400 seconds, got {}", text));
  }
  return std::chrono::seconds(seconds);
}

bool IsTrue(std::string text) {
  absl::AsciiStrToUpper(&text);
  return text == "1" || text == "ON" || text == "YES" || text == "TRUE";
}

}  // namespace

absl::StatusOr<HubSettings> ReadHubSettings(Environment environment) {
  HubSettings settings;
  ASSIGN_OR_RETURN(const fs::path home, Home(environment));
  settings.cache = GetPath(environment, "HF_HUB_CACHE");
  if (settings.cache.empty()) settings.cache = home / "hub";
  ASSIGN_OR_RETURN(settings.endpoint, ReadEndpoint(environment));
  ASSIGN_OR_RETURN(settings.token, ReadToken(environment, home));
  ASSIGN_OR_RETURN(settings.timeout, ReadTimeout(environment));
  settings.offline = IsTrue(Get(environment, "HF_HUB_OFFLINE"));
  return settings;
}

}  // namespace hub
