#pragma once

#include <CLI/CLI.hpp>

#include "common/status.h"
#include "config_file.h"

// Where flags come from that the arguments do not give.

/// Gives every flag its environment variable: --max-batch-tokens → PARTERRE_MAX_BATCH_TOKENS.
void NameEnvironment(CLI::App& app);

/// Has every flag of `app` and of its subcommands refuse an empty value: an empty name of a file
/// read as none would leave open what was to be closed. The text of `tokenize` may be empty.
void RefuseEmptyValues(CLI::App& app);

/// A variable that is set but gives its flag no value, because it is empty or nothing but commas,
/// is an InvalidArgument naming both, unless the arguments give the flag. Called when they are
/// read.
absl::Status CheckEnvironment(const CLI::App& app);

/// Sets from `config` every flag of `app` that neither the arguments nor the environment set. A key
/// that is no flag is an InvalidArgument naming it; a bad value throws CLI::ParseError as a bad
/// argument does.
absl::Status ApplyConfig(const ConfigFile& config, CLI::App& app);
