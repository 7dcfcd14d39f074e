#pragma once

#include <fstream>
#include <string>

#include "common/status.h"

// How the commands of `parterre bench` end.

/// Where the report goes as JSON; closed if it goes nowhere.
absl::StatusOr<std::ofstream> OpenJson(const std::string& file);

/// Says what went wrong on the error stream, in one line. Returns `exit_status`.
int FailBench(const absl::Status& status, int exit_status);
