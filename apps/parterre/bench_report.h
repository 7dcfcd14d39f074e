#pragma once

#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/status.h"

// How the commands of `parterre bench` end.

/// Where the report goes as JSON; closed if it goes nowhere.
absl::StatusOr<std::ofstream> OpenJson(const std::string& file);

/// Writes the report, if it goes anywhere. DataLoss if it could not be written whole.
absl::Status WriteJson(const nlohmann::json& report, std::ofstream& file);

/// Says what went wrong on the error stream, in one line. Returns `exit_status`.
int FailBench(const absl::Status& status, int exit_status);
