#pragma once

#include <CLI/CLI.hpp>

#include "common/status.h"
#include "config_file.h"

// Where flags come from that the arguments do not give.

/// Gives every flag its environment variable: --max-batch-tokens → PARTERRE_MAX_BATCH_TOKENS.
void NameEnvironment(CLI::App& app);

/// Sets from `config` every flag of `app` that neither the arguments nor the environment set. A key
/// that is no flag is an InvalidArgument naming it; a bad value throws CLI::ParseError as a bad
/// argument does.
absl::Status ApplyConfig(const ConfigFile& config, CLI::App& app);
