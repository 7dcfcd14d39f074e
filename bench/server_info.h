#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/url.h"
#include "common/status.h"

namespace bench {

/// What /info of a Parterre says that a bench needs.
struct ServerInfo {
  std::string schedule{};         ///< "fcfs" or "fair".
  int engines = 1;                ///< That share the work.
  int vocabulary = 0;             ///< Ids are below it.
  int max_length = 0;             ///< Tokens of an input.
  int64_t saturation_tokens = 0;  ///< The batch budget.
  double step_ms = 0;  ///< A step of the budget, as the server measured it; 0: it did not.
};

/// Reads the JSON of /info. InvalidArgument names what is missing, or none.
absl::StatusOr<ServerInfo> ReadServerInfo(std::string_view body);

/// Asks a running server.
absl::StatusOr<ServerInfo> FetchServerInfo(const Url& url, std::chrono::milliseconds timeout);

}  // namespace bench
