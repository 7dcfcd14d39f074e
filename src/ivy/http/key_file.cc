#include "ivy/http/key_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/file.h"
#include "ivy/http/api_keys.h"

namespace ivy {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;

}  // namespace

bool IsApiKey(std::string_view text) {
  const auto fits = [](char c) { return c > ' ' && c <= '~' && c != ','; };
  return !text.empty() && text.size() <= ApiKeys::kBytesMax &&
         std::all_of(text.begin(), text.end(), fits);
}

absl::StatusOr<std::vector<std::string>> ReadKeyFile(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  ASSIGN_OR_RETURN(const std::string text, common::ReadFile(path, kFileBytesMax));
  std::vector<std::string> keys;
  int number = 0;
  for (const absl::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line.front() == '#') continue;
    std::string key(line.data(), line.size());
    if (!IsApiKey(key)) {
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: expected {}", name, number, kApiKeyForm));
    }
    keys.push_back(std::move(key));
  }
  if (!keys.empty()) return keys;
  return absl::InvalidArgumentError(
      fmt::format("{}: expected an API key, found none ({})", name, path.string()));
}

bool OthersMayRead(const std::filesystem::path& path) {
  using std::filesystem::perms;
  std::error_code error;
  const perms mode = std::filesystem::status(path, error).permissions();
  return !error && (mode & (perms::others_read | perms::others_write)) != perms::none;
}

}  // namespace ivy
