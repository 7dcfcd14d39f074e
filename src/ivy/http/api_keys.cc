#include "ivy/http/api_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "common/log.h"
#include "ivy/http/key_file.h"

namespace ivy {
namespace {

constexpr std::string_view kScheme = "bearer ";

bool HasScheme(std::string_view authorization) {
  if (authorization.size() < kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(authorization[i])) != kScheme[i]) return false;
  }
  return true;
}

}  // namespace

ApiKeys::Key::Key(std::string_view text) : size(text.size()) {
  std::copy_n(text.begin(), std::min(text.size(), bytes.size()), bytes.begin());
}

absl::StatusOr<std::shared_ptr<ApiKeys>> ApiKeys::Create(ApiKeyOptions options) {
  if (options.keys.empty() && options.file.empty()) return nullptr;
  for (const std::string& key : options.keys) {
    if (IsApiKey(key)) continue;
    return absl::InvalidArgumentError(fmt::format("--api-key: expected {}", kApiKeyForm));
  }
  std::shared_ptr<ApiKeys> keys(new ApiKeys(std::move(options)));
  RETURN_IF_ERROR(keys->Reload());
  return keys;
}

bool ApiKeys::Admit(std::string_view authorization) const {
  if (!HasScheme(authorization)) return false;
  const Key given(authorization.substr(kScheme.size()));
  const std::shared_ptr<const Keys> keys = Current();
  unsigned admitted = 0;
  for (const Key& key : *keys) {
    std::size_t difference = key.size ^ given.size;
    for (std::size_t i = 0; i < key.bytes.size(); ++i) {
      difference |= static_cast<unsigned char>(key.bytes[i] ^ given.bytes[i]);
    }
    admitted |= static_cast<unsigned>(difference == 0);
  }
  return admitted != 0;
}

absl::Status ApiKeys::Reload() {
  std::vector<std::string> all = options_.keys;
  if (!options_.file.empty()) {
    ASSIGN_OR_RETURN(const std::vector<std::string> read, ReadKeyFile(options_.file));
    all.insert(all.end(), read.begin(), read.end());
    if (OthersMayRead(options_.file)) {
      spdlog::warn("{}: other users may read or write the API keys; expected mode 640 or less",
                   options_.file);
    }
  }
  if (all.size() > kKeysMax) {
    const std::string of_flags =
        options_.keys.empty() ? "" : fmt::format(", {} of them of --api-key", options_.keys.size());
    return absl::InvalidArgumentError(
        fmt::format("{}: expected at most {} API keys, got {}{}",
                    options_.file.empty() ? "--api-key" : options_.file, kKeysMax, all.size(),
                    options_.file.empty() ? "" : of_flags));
  }
  auto keys = std::make_shared<Keys>(all.begin(), all.end());
  spdlog::info("API keys: {}", keys->size());
  const common::MutexLock lock(mutex_);
  keys_ = std::move(keys);
  return absl::OkStatus();
}

std::shared_ptr<const ApiKeys::Keys> ApiKeys::Current() const {
  const common::MutexLock lock(mutex_);
  return keys_;
}

}  // namespace ivy
