#pragma once

#include <spdlog/spdlog.h>

#include <string_view>

#include "common/status.h"

namespace common {

enum class LogFormat { kText, kJson };

/// Sets up the process's log on the error stream. Call once, before other threads start.
/// Log with spdlog::info("loaded {} tensors", n) and its kin; in the JSON format every line is one
/// object with ts, level and msg, the message escaped. Nothing secret is ever logged.
absl::Status SetUpLog(LogFormat format, std::string_view level);

}  // namespace common
