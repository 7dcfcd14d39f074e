#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "absl/functional/function_ref.h"
#include "common/status.h"

namespace hub {

/// Where models come from and where they are kept, by the environment variables that the Hugging
/// Face tools read.
struct HubSettings {
  /// HF_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else
  /// ~/.cache/huggingface/hub.
  std::filesystem::path cache;
  std::string endpoint;  ///< HF_ENDPOINT, an http or https URL without a slash at its end.
  /// HF_TOKEN, else what stands in the file HF_TOKEN_PATH, else in HF_HOME/token. Empty: none.
  /// Secret.
  std::string token;
  bool offline = false;  ///< HF_HUB_OFFLINE: the network is not touched.
  /// HF_HUB_DOWNLOAD_TIMEOUT: how long a server may take to connect, or stay silent.
  std::chrono::seconds timeout{10};
};

/// The value of an environment variable; null: it is not set.
using Environment = absl::FunctionRef<const char*(const char* name)>;

/// InvalidArgument names the variable and what was expected.
absl::StatusOr<HubSettings> ReadHubSettings(Environment environment);

}  // namespace hub
