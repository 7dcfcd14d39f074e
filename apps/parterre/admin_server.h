#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/metrics.h"
#include "common/status.h"
#include "ivy/net/server.h"

/// Listens for those who look after the process: GET /metrics, and GET /health, which `health`
/// answers (200, or 503 with the cause; any thread). `metrics` outlives it. Errors name the
/// address.
absl::StatusOr<std::unique_ptr<ivy::Server>> StartAdminServer(const std::string& host, int port,
                                                              std::function<absl::Status()> health,
                                                              common::Metrics& metrics);
